import { setTimeout as sleep } from 'node:timers/promises';
import axios from 'axios';
import fc from 'fast-check';
import type { Fault, FaultRule, Route } from '../../emulator/faults';
import {
	FORBIDDEN_SITE,
	OPERATIONS,
	SERVED_SITES,
	UNKNOWN_SITE,
	WATCHED_SITE,
	type SoakOperation,
	type World,
} from './world';

/** One execution to start. */
interface Call {
	operation: SoakOperation;
	ids: number[];
}

/** What happens to the service or to the account. */
export type Disturbance =
	| { kind: 'fault'; rule: FaultRule }
	/** All tokens end at once. */
	| { kind: 'revocation' }
	/** The password is changed at the service, and then in n8n. */
	| { kind: 'passwordChange' }
	/** The watched site gets another licence. */
	| { kind: 'siteChange' };

interface Planned<T> {
	/** Milliseconds after the start. */
	at: number;
	what: T;
}

export interface Plan {
	calls: Array<Planned<Call>>;
	disturbances: Array<Planned<Disturbance>>;
}

/** A call, and what its webhook answered. */
export interface AnsweredCall extends Call {
	index: number;
	/** Milliseconds since 1970. */
	sentAt: number;
	answeredAt: number;
	/** 0 where there was no answer. */
	status: number;
	text: string;
}

/** From one disturbance of each kind to the next, in seconds. */
const EVERY = { fault: 1, revocation: 41, passwordChange: 53, siteChange: 19 };

const siteFault = fc.constantFrom<Fault>(
	{ kind: 'status', status: 503 },
	{ kind: 'status', status: 401 },
	{ kind: 'reset' },
	{ kind: 'truncated' },
	{ kind: 'hang' },
	{ kind: 'trickle', msPerByte: 1 },
	{ kind: 'echo', status: 400 },
	{ kind: 'echo', status: 500 },
	{ kind: 'body', body: '<html>sorry</html>', contentType: 'text/html' },
);
const loginFault = fc.constantFrom<Fault>(
	{ kind: 'reset' },
	{ kind: 'echo', status: 500 },
	{ kind: 'body', body: '{}' },
);
/** Most of the time the one, now and then the other. */
const mostly = <T>(arbitrary: fc.Arbitrary<T>, rare: fc.Arbitrary<T>) =>
	fc.oneof({ weight: 40, arbitrary }, { weight: 1, arbitrary: rare });
const ruleFor = (route: Route, fault: fc.Arbitrary<Fault>): fc.Arbitrary<FaultRule> =>
	fc.record({ route: fc.constant(route), fault, times: fc.integer({ min: 1, max: 3 }) });
const faultRule = mostly(ruleFor('site', siteFault), ruleFor('token', loginFault));
const call: fc.Arbitrary<Call> = fc.record({
	operation: fc.constantFrom(...OPERATIONS),
	ids: fc.array(
		mostly(fc.constantFrom(...SERVED_SITES), fc.constantFrom(UNKNOWN_SITE, FORBIDDEN_SITE)),
		{ minLength: 1, maxLength: 8, size: 'max' },
	),
});

/**
 * What a soak does and when, the same for the same seed.
 *
 * The last seconds are calm, so that what was begun can end.
 */
export function planSoak(seed: number, seconds: number, callsPerSecond: number): Plan {
	const CALM_SECONDS = 10;
	const drawn = <T>(arbitrary: fc.Arbitrary<T>, numRuns: number): T[] =>
		fc.sample(fc.noBias(arbitrary), { numRuns, seed });
	const countOf = (kind: Disturbance['kind']) => Math.floor((seconds - CALM_SECONDS) / EVERY[kind]);
	const disturbances: Disturbance[] = [
		...drawn(faultRule, countOf('fault')).map((rule) => ({ kind: 'fault' as const, rule })),
		...(['revocation', 'passwordChange', 'siteChange'] as const).flatMap((kind) =>
			Array.from({ length: countOf(kind) }, () => ({ kind })),
		),
	];
	const begun = { fault: 0, revocation: 0, passwordChange: 0, siteChange: 0 };
	return {
		calls: drawn(call, seconds * callsPerSecond).map((what, index) => ({
			at: (index * 1000) / callsPerSecond,
			what,
		})),
		disturbances: disturbances
			.map((what) => ({ at: (begun[what.kind]++ + 0.5) * EVERY[what.kind] * 1000, what }))
			.sort((one, other) => one.at - other.at),
	};
}

/** Requests of the calls are told apart by the version that they ask for: a day of its own for each call. */
const FIRST_DAY = Date.UTC(2100, 0, 1);
const DAY_MS = 24 * 3600 * 1000;

/** The version that the requests of a call name. */
export function markOf(call: number): string {
	return new Date(FIRST_DAY + call * DAY_MS).toISOString().slice(0, 10);
}

/** The call that a version stands for; undefined for one that no call names. */
export function callOf(version: unknown): number | undefined {
	const call = (Date.parse(String(version)) - FIRST_DAY) / DAY_MS;
	return call >= 0 ? call : undefined;
}

/** Starts executions as planned, whether those before have ended or not, until the signal is aborted. */
export async function makeCalls(
	planned: Plan['calls'],
	address: string,
	signal: AbortSignal,
): Promise<AnsweredCall[]> {
	const begunAt = Date.now();
	const calls: Array<Promise<AnsweredCall>> = [];
	for (const [index, { at, what }] of planned.entries()) {
		await sleep(Math.max(0, begunAt + at - Date.now()), undefined, { signal });
		calls.push(makeCall(what, index, address));
	}
	return await Promise.all(calls);
}

async function makeCall(
	{ operation, ids }: Call,
	index: number,
	address: string,
): Promise<AnsweredCall> {
	/** Longer than any execution may take. */
	const PATIENCE_MS = 240_000;
	const mark = markOf(index);
	const isList = operation === 'many' || operation === 'units';
	const rows = isList ? [{ ids: ids.join(), mark }] : ids.map((id) => ({ id, mark }));
	const sentAt = Date.now();
	const { status, text } = await axios
		.post<string>(
			`${address}/webhook/${operation}`,
			{ rows },
			{ timeout: PATIENCE_MS, responseType: 'text', validateStatus: () => true },
		)
		.then(
			(response) => ({ status: response.status, text: response.data }),
			(error: Error) => ({ status: 0, text: error.message }),
		);
	return { operation, ids, index, sentAt, answeredAt: Date.now(), status, text };
}

/** What has been done to the service. */
export interface Done {
	/** The licences that the watched site was given, in their order. */
	licences: string[];
	/** How often n8n has undone an edit of the password, which was entered again then. */
	lostEdits: number;
}

/** Disturbs the service and the account as planned, until all is done or the signal is aborted. */
export async function disturb(
	planned: Plan['disturbances'],
	world: World,
	signal: AbortSignal,
): Promise<Done> {
	const { service } = world;
	const done: Done = { licences: [], lostEdits: 0 };
	const begunAt = Date.now();
	let enteredAt = begunAt;
	for (const { at, what } of planned) {
		await sleep(Math.max(0, begunAt + at - Date.now()), undefined, { signal });
		if (isEditLost(world, enteredAt)) {
			done.lostEdits += 1;
			await world.enterPassword();
			enteredAt = Date.now();
		}
		switch (what.kind) {
			case 'fault':
				service.fail(what.rule);
				break;
			case 'revocation':
				service.tokens.revokeAll();
				break;
			case 'passwordChange':
				await world.changePassword();
				enteredAt = Date.now();
				break;
			case 'siteChange': {
				const license = `L-${done.licences.length + 1}`;
				done.licences.push(license);
				service.changeSite(WATCHED_SITE, (site) => ({ ...site, info: { ...site.info, license } }));
				break;
			}
		}
	}
	return done;
}

/** n8n stores a token by writing back the credential as it was read before: an edit that is saved meanwhile is undone. */
function isEditLost({ service, passwords }: World, enteredAt: number): boolean {
	/** After this time no execution that has read the password before logs in with it. */
	const SETTLED_MS = 3000;
	return service.journal
		.of('token')
		.some(
			({ at, body }) =>
				at > enteredAt + SETTLED_MS && !body.includes(JSON.stringify(passwords.at(-1))),
		);
}
