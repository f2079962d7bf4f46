import fc from 'fast-check';
import type { Fault } from '../../emulator/faults';
import { statusFault as status } from '../../testbed/engine/harness';

/** Sites of the emulator, then two unknown ones. */
const SITE_IDS = [1001, 1002, 1003, 1020, 1022, 4040, 4041];

/** More seconds than all tries of a site may take. */
const TOO_LONG = 7200;

export const TIMEOUT_SECONDS = 5;

const PAGE: Fault = { kind: 'body', body: '<html>sorry</html>', contentType: 'text/html' };

const SITE_FAULTS: Fault[] = [
	status(503),
	{ kind: 'reset' },
	{ kind: 'truncated' },
	...[401, 403, 400, 408, 422, 500, 502, 504].map((code) => status(code)),
	status(503, 2),
	status(503, TOO_LONG),
	status(429),
	status(429, 7),
	{ kind: 'hang' },
	PAGE,
	{ kind: 'body', body: '{"siteName":"Nowhere"' },
	{ kind: 'echo', status: 400 },
	{ kind: 'echo', status: 500 },
	{ kind: 'echoBeside' },
];

const LOGIN_FAULTS: Fault[] = [
	status(503),
	{ kind: 'reset' },
	{ kind: 'truncated' },
	...[401, 403, 400, 500].map((code) => status(code)),
	status(503, 2),
	status(429, 7),
	PAGE,
	{ kind: 'body', body: '{}' },
	{ kind: 'echo', status: 401 },
	{ kind: 'echo', status: 500 },
];

const siteId = fc.constantFrom(...SITE_IDS);
const idOrText = fc.oneof(
	{ weight: 20, arbitrary: siteId },
	{ weight: 1, arbitrary: fc.constant('none') },
);
const listWith = <T>(one: fc.Arbitrary<T>, maxLength: number, minLength = 0) =>
	fc.array(one, { minLength, maxLength, size: 'max' });
const mostlyEmpty = <T>(one: fc.Arbitrary<T>, maxLength: number) =>
	fc.oneof(
		{ weight: 2, arbitrary: fc.constant<T[]>([]) },
		{ weight: 1, arbitrary: listWith(one, maxLength) },
	);

const execution = fc.constantFrom('getSite', 'getManySites', 'getUnits').chain((operation) =>
	fc.record({
		/** The pause after the execution before. */
		afterMs: fc.constantFrom(0, 3000, 40_000),
		operation: fc.constant(operation),
		onError: fc.constantFrom(
			...(['continueRegularOutput', 'continueErrorOutput', 'stopWorkflow'] as const),
		),
		/** IDs by input item; one each for Get Site. */
		items: (operation === 'getSite'
			? listWith(listWith(idOrText, 1, 1), 8, 1)
			: listWith(listWith(siteId, 6, 1), 2, 1)) as fc.Arbitrary<Array<Array<number | string>>>,
		ignoreMissing: fc.boolean(),
		/** Faults of the same site apply in order. */
		siteFaults: listWith(fc.record({ siteId, fault: fc.constantFrom(...SITE_FAULTS) }), 10),
		loginFaults: mostlyEmpty(fc.constantFrom(...LOGIN_FAULTS), 5),
		/** Milliseconds after the start. */
		revocations: mostlyEmpty(fc.integer({ min: 0, max: 5000 }), 3),
	}),
);

export const faultPlan = fc.record({
	latencyMs: fc.constantFrom(0, 100, 1500),
	tokens: fc.record({
		// Shorter ones may expire before a slot is free at a reduced rate of one request a minute.
		lifetimeSeconds: fc.constantFrom(3600, 90),
		opaque: fc.boolean(),
		announcedLifetime: fc.constantFrom('3600', null),
	}),
	executions: fc.array(execution, { minLength: 1, maxLength: 3 }),
});

export type FaultPlan = typeof faultPlan extends fc.Arbitrary<infer Plan> ? Plan : never;
