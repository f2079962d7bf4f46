import fc from 'fast-check';
import type { Fault, FaultRule, Route } from '../../emulator/faults';
import { FORBIDDEN_SITE, SERVED_SITES, UNAVAILABLE_SITE, UNKNOWN_SITES } from './sites';

/** What a call asks the node to do; `stop` is Get Site with "On Error" set to "Stop Workflow". */
export const OPERATIONS = ['site', 'many', 'units', 'stop'] as const;

export type SoakOperation = (typeof OPERATIONS)[number];

/** One execution to start. */
export interface Call {
	operation: SoakOperation;
	/** What is asked for; a text is no site ID. */
	ids: Array<number | string>;
}

/** What happens to the service or to the account. */
export type Disturbance =
	| { kind: 'fault'; rule: FaultRule }
	/** All tokens end at once. */
	| { kind: 'revocation' }
	/** Tokens are issued in another form from now on; what opaque ones say nothing of is when they end. */
	| { kind: 'tokens'; opaque: boolean; lifetimeSeconds: number }
	/** The password is changed at the service, which ends all tokens, and so much later in n8n. */
	| { kind: 'passwordChange'; lateMs: number }
	/** A wrong password is entered in n8n, and the right one so much later. */
	| { kind: 'wrongPassword'; forMs: number }
	/** The watched site gets another licence. */
	| { kind: 'siteChange' };

export interface Planned<T> {
	/** Milliseconds after the start. */
	at: number;
	what: T;
}

export interface Plan {
	calls: Array<Planned<Call>>;
	disturbances: Array<Planned<Disturbance>>;
}

/** How often each kind of disturbance comes, in seconds from one to the next. */
const EVERY = { fault: 1, revocation: 41, tokens: 67, account: 53, siteChange: 19 };

/** The lifetimes of tokens, in seconds: short enough to end many times. */
const LIFETIME = { min: 20, max: 90 };

const status = (code: number, headers?: Record<string, string>): Fault => ({
	kind: 'status',
	status: code,
	...(headers && { headers }),
});
const retryAfter = (seconds: number) => ({ 'retry-after': String(seconds) });

/** Slow enough for several hundred bytes to take longer than the soak's timeout. */
const SLOWEST_MS_PER_BYTE = 100;

const siteFault = fc.constantFrom<Fault>(
	status(500),
	status(502),
	status(503),
	status(503, retryAfter(1)),
	status(504),
	status(408),
	status(503, retryAfter(90)),
	{ kind: 'reset' },
	{ kind: 'reset' },
	{ kind: 'truncated' },
	{ kind: 'truncated' },
	{ kind: 'hang' },
	{ kind: 'trickle', msPerByte: 1 },
	{ kind: 'trickle', msPerByte: SLOWEST_MS_PER_BYTE },
	{ kind: 'echo', status: 400 },
	{ kind: 'echo', status: 500 },
	{ kind: 'body', body: '<html>sorry</html>', contentType: 'text/html' },
	{ kind: 'body', body: '{"siteName":"Nowhere"' },
);

/** A valid token that is not accepted for once. */
const rejection = fc.constantFrom(status(401), status(403));

const tokenFault = fc.constantFrom<Fault>(
	status(500),
	status(503, retryAfter(1)),
	{ kind: 'reset' },
	{ kind: 'reset' },
	{ kind: 'truncated' },
	{ kind: 'trickle', msPerByte: 1 },
	{ kind: 'trickle', msPerByte: 1 },
	{ kind: 'echo', status: 401 },
	{ kind: 'echo', status: 500 },
	{ kind: 'body', body: '{}' },
);

const faultOf = (route: Route, which: fc.Arbitrary<Fault>, times: number) =>
	fc.record({
		kind: fc.constant('fault' as const),
		rule: fc.record({
			route: fc.constant(route),
			fault: which,
			times: fc.integer({ min: 1, max: times }),
		}),
	});

const fault = fc.oneof(
	{ weight: 40, arbitrary: faultOf('site', siteFault, 3) },
	{ weight: 2, arbitrary: faultOf('site', rejection, 3) },
	{ weight: 1, arbitrary: faultOf('token', tokenFault, 2) },
);

const tokens = fc.record({
	kind: fc.constant('tokens' as const),
	opaque: fc.boolean(),
	lifetimeSeconds: fc.integer(LIFETIME),
});

const account = fc.oneof(
	fc.record({
		kind: fc.constant('passwordChange' as const),
		lateMs: fc.integer({ min: 500, max: 3000 }),
	}),
	fc.record({
		kind: fc.constant('wrongPassword' as const),
		forMs: fc.integer({ min: 500, max: 3000 }),
	}),
);

const served = fc.constantFrom(...SERVED_SITES);
const anySite = fc.oneof(
	{ weight: 60, arbitrary: served },
	{ weight: 2, arbitrary: fc.constantFrom(...UNKNOWN_SITES) },
	{ weight: 1, arbitrary: fc.constantFrom(UNAVAILABLE_SITE, FORBIDDEN_SITE) },
);
const siteOrText = fc.oneof(
	{ weight: 60, arbitrary: anySite },
	{ weight: 1, arbitrary: fc.constant('none') },
);
const listOf = <T>(id: fc.Arbitrary<T>, maxLength: number) =>
	fc.array(id, { minLength: 1, maxLength, size: 'max' });

const call: fc.Arbitrary<Call> = fc.oneof(
	fc.record({ operation: fc.constant('site' as const), ids: listOf(siteOrText, 8) }),
	fc.record({ operation: fc.constant('many' as const), ids: listOf(anySite, 10) }),
	fc.record({ operation: fc.constant('units' as const), ids: listOf(anySite, 6) }),
	fc.record({ operation: fc.constant('stop' as const), ids: listOf(served, 4) }),
);

/**
 * What a soak does and when, the same for the same seed.
 *
 * The last seconds are calm, so that what was begun can end.
 */
export function planSoak(seed: number, seconds: number, callsPerSecond: number): Plan {
	const CALM_SECONDS = 10;
	const drawn = <T>(arbitrary: fc.Arbitrary<T>, count: number, series: number): T[] =>
		fc.sample(fc.noBias(arbitrary), { numRuns: count, seed: seed + series });
	const spread = <T>(arbitrary: fc.Arbitrary<T>, everySeconds: number, series: number) => {
		const count = Math.floor((seconds - CALM_SECONDS) / everySeconds);
		if (count <= 0) return [];
		const moments = drawn(fc.double({ min: 0, max: 1, noNaN: true }), count, 100 + series);
		return drawn(arbitrary, count, series).map((what, index) => ({
			at: (index + 0.25 + (moments[index] ?? 0) / 2) * everySeconds * 1000,
			what,
		}));
	};
	const disturbances: Array<Planned<Disturbance>> = [
		...spread(fault, EVERY.fault, 1),
		...spread(fc.constant({ kind: 'revocation' as const }), EVERY.revocation, 2),
		...spread(tokens, EVERY.tokens, 3),
		...spread(account, EVERY.account, 4),
		...spread(fc.constant({ kind: 'siteChange' as const }), EVERY.siteChange, 5),
	];
	return {
		calls: drawn(call, Math.max(1, Math.floor(seconds * callsPerSecond)), 0).map((what, index) => ({
			at: (index * 1000) / callsPerSecond,
			what,
		})),
		disturbances: disturbances.sort((one, other) => one.at - other.at),
	};
}
