import { MINUTE_MS, SECOND_MS } from '../utils/time';
import type { Pace } from './pacer';

/** How the limiter treats a queue. A rate is in requests a minute. */
export interface QueueKind {
	/** The part of the rate that it leaves to logins. */
	reserve: number;
	/** How many slots all queues of the kind may hold together; absent if as many as there are. */
	share?: (rate: number) => number;
	/** How fast it sends if it needs more than is free; absent if it then takes every free slot. */
	pace?: (rate: number) => Pace;
	/** Added to the number of slots that it holds, because the queue with the fewest goes first; absent if 0. */
	handicap?: (rate: number) => number;
	/** How long it waits before it goes before others; absent if it never does. */
	starvedAfterMs?: (rate: number) => number;
	/** How long after it was sent a request counts as answered; absent if the limiter learns of the answer. */
	assumedResponseMs?: number;
}

const LOGIN_RESERVE = 0.02;
const pollRate = (rate: number) => Math.max(1, Math.floor(rate / 2));
/** Leaves some slots to others; at a low rate, no whole one. */
const executionRate = (rate: number) => Math.ceil(0.93 * rate);

const EXECUTION: QueueKind = {
	reserve: LOGIN_RESERVE,
	pace: (rate) => ({ perMinute: executionRate(rate), burst: 2 }),
	// Twice the time between its requests, if it sends evenly.
	starvedAfterMs: (rate) => Math.max(5 * SECOND_MS, (2 * MINUTE_MS) / executionRate(rate)),
};

export const QUEUE_KINDS = {
	execution: EXECUTION,
	/** n8n does not report the responses to HTTP Request nodes, so a 429 among them starts no cooldown. */
	httpNode: { ...EXECUTION, assumedResponseMs: 2 * SECOND_MS },
	/** A poll that nobody waits for. It ends soon, so it begins with a quarter of the rate. */
	poll: {
		reserve: LOGIN_RESERVE,
		share: pollRate,
		pace: (rate) => ({ perMinute: pollRate(rate), burst: Math.max(1, rate / 4) }),
		handicap: (rate) => rate / 10,
	},
	/** A poll that a person waits for, half a minute at most. */
	interactivePoll: { reserve: LOGIN_RESERVE },
	/** All other requests of the account may be waiting for it. */
	login: { reserve: 0, handicap: () => -Infinity },
} satisfies Record<string, QueueKind>;
