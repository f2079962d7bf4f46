import { MINUTE_MS } from '../utils/time';
import type { HeldSlots } from './heldSlots';
import type { Queue } from './queue';

/*
 * How do the queues of an account share the slots of a minute, so that nobody waits long for somebody else?
 *
 * For example, at 100 requests a minute: an execution of 500 sites begins, and a trigger polls 20 sites each minute.
 *
 * | Second | What happens                                                                                         |
 * | ------ | ---------------------------------------------------------------------------------------------------- |
 * | 0      | Two of the 100 slots are for logins. The execution needs more than the other 98, so it is paced: it  |
 * |        | sends 93 requests a minute, one each 0.65 seconds                                                    |
 * | 20     | The execution holds 33 slots, so 65 are free. The poll needs only 20, and takes them immediately     |
 * | 49     | The execution holds 78 slots, the poll 20. The execution waits                                       |
 * | 55     | Somebody tests the credential: the login takes one of its two slots immediately                      |
 * | 60     | The execution's slots expire one by one, and it takes them again: 78 in each minute, and the poll 20 |
 *
 * Without its pace, the execution would take all 98 slots in the first seconds, and the poll would wait until second 60.
 *
 * | Owner of a queue    | Slots it may take         | Order                       | Paced                          |
 * | ------------------- | ------------------------- | --------------------------- | ------------------------------ |
 * | login               | 100                       | First                       | Never: others wait for it      |
 * | execution, httpNode | 98                        | Fewest slots held first     | If it needs more than are free |
 * | poll                | 98, all polls together 50 | As if it held 10 slots more | If it needs more than are free |
 * | interactivePoll     | 98                        | Fewest slots held first     | Never: it ends soon            |
 */

/** The part of the slots that only logins may take: 2 of 100. */
const LOGIN_RESERVE = 0.02;
/** The part of the rate at which a paced queue sends: 93 of 100. The other five of the 98 stay free for small executions. */
const PACE = 0.93;

/** Returns how many slots all polls together may hold: 50 of 100. */
const pollSlots = (rate: number) => Math.max(1, Math.floor(rate / 2));

/**
 * Returns how many slots a queue may take.
 *
 * @param rate requests a minute that the account may send.
 * @param held the slots of the account that are taken.
 */
export function countFreeSlots(queue: Queue, rate: number, held: HeldSlots): number {
	const slots = Math.min(rate, queue.requestsPerMinute);
	if (queue.owner === 'login') return slots - held.size;
	const free = Math.ceil((1 - LOGIN_RESERVE) * slots) - held.size;
	return queue.owner === 'poll' ? Math.min(free, pollSlots(slots) - held.heldByPolls) : free;
}

/**
 * Returns whether a queue is paced, because it needs more slots than are free. It has to wait for some of them anyway. One that may
 * not wait, because 'Maximum Wait' is 0, takes what is free.
 */
export function isPaced(queue: Queue, rate: number, held: HeldSlots): boolean {
	const { owner, maxWaitMs } = queue;
	if (owner === 'login' || owner === 'interactivePoll' || maxWaitMs === 0) return false;
	return queue.unsentRequests > countFreeSlots(queue, rate, held);
}

/** Returns the time between two requests of a paced queue: 0.65 s at 100 requests a minute. */
export function paceMs(rate: number): number {
	return MINUTE_MS / Math.ceil(PACE * rate);
}

/**
 * Returns the rank of a queue: the one with the lowest sends next. So a short execution overtakes a long one, but not for more
 * than a minute: by then, the long one holds no slots. Polls stand back by a tenth of the rate, because nobody waits for them.
 */
export function getRank(queue: Queue, rate: number, held: HeldSlots): number {
	if (queue.owner === 'login') return -1;
	return held.heldBy(queue) + (queue.owner === 'poll' ? rate / 10 : 0);
}
