import fc from 'fast-check';
import type { Fault } from '../../emulator/faults';

const OPERATIONS = ['getSite', 'getManySites', 'getUnits'] as const;

const ON_ERROR = ['continueRegularOutput', 'continueErrorOutput', 'stopWorkflow'] as const;

/** Sites of the emulator, one of them without units and one with unknown fields. */
const KNOWN = [1001, 1002, 1003, 1020, 1022];
const UNKNOWN = [4040, 4041];

/** What is asked for by an input item; a text is no site ID. */
type Asked = Array<number | string>;

/** One execution of the node, and what the emulator does meanwhile. */
interface PlannedExecution {
	/** How long it begins after the one before, in milliseconds. */
	afterMs: number;
	operation: (typeof OPERATIONS)[number];
	onError: (typeof ON_ERROR)[number];
	/** For each input item; one ID each for Get Site. */
	items: Asked[];
	ignoreMissing: boolean;
	concurrentRequests: number;
	maxTries: number;
	/** Faults of the site requests. Those for the same site come one after the other. */
	siteFaults: Array<{ siteId: number; fault: Fault }>;
	loginFaults: Fault[];
	/** When all tokens are revoked, in milliseconds after the start. */
	revocations: number[];
}

/** What happens to an account that nobody has used before. */
export interface FaultPlan {
	latencyMs: number;
	/** The share of each pause that is drawn for its jitter. */
	jitter: number;
	tokens: { lifetimeSeconds: number; opaque: boolean; announcedLifetime: string | null };
	executions: PlannedExecution[];
}

/** Longer than {@link LIMITS} allow to wait. */
const TOO_LONG = '7200';

/** Seconds; long enough for all pauses of a plan but {@link TOO_LONG}. */
export const LIMITS = { timeoutSeconds: 10, maxTimeSeconds: 3600 };

const status = (code: number, retryAfter?: string): Fault => ({
	kind: 'status',
	status: code,
	...(retryAfter !== undefined && { headers: { 'retry-after': retryAfter } }),
});

const PAGE: Fault = { kind: 'body', body: '<html>sorry</html>', contentType: 'text/html' };

const siteFault = fc.constantFrom<Fault>(
	status(503),
	{ kind: 'reset' },
	{ kind: 'truncated' },
	status(401),
	status(403),
	status(400),
	status(408),
	status(422),
	status(500),
	status(502),
	status(504),
	status(503, '2'),
	status(503, TOO_LONG),
	status(429),
	status(429, '7'),
	{ kind: 'hang' },
	PAGE,
	{ kind: 'body', body: '{"siteName":"Nowhere"' },
	{ kind: 'echo', status: 400 },
	{ kind: 'echo', status: 500 },
	{ kind: 'echoBeside' },
);

const loginFault = fc.constantFrom<Fault>(
	status(503),
	{ kind: 'reset' },
	{ kind: 'truncated' },
	status(401),
	status(403),
	status(400),
	status(500),
	status(503, '2'),
	status(429, '7'),
	PAGE,
	{ kind: 'body', body: '{}' },
	{ kind: 'echo', status: 401 },
	{ kind: 'echo', status: 500 },
);

const siteId = fc.constantFrom(...KNOWN, ...UNKNOWN);
const idOrText = fc.oneof(
	{ weight: 20, arbitrary: siteId },
	{ weight: 1, arbitrary: fc.constant('none') },
);
const listOf = <T>(one: fc.Arbitrary<T>, maxLength: number, minLength = 0) =>
	fc.array(one, { minLength, maxLength, size: 'max' });
/** Mostly none. */
const fewOf = <T>(one: fc.Arbitrary<T>, maxLength: number) =>
	fc.oneof(
		{ weight: 2, arbitrary: fc.constant<T[]>([]) },
		{ weight: 1, arbitrary: listOf(one, maxLength) },
	);

const execution: fc.Arbitrary<PlannedExecution> = fc
	.constantFrom(...OPERATIONS)
	.chain((operation) =>
		fc.record({
			afterMs: fc.constantFrom(0, 3000, 40_000),
			operation: fc.constant(operation),
			onError: fc.constantFrom(...ON_ERROR),
			items:
				operation === 'getSite'
					? listOf(listOf(idOrText, 1, 1), 8, 1)
					: listOf(listOf(siteId, 6, 1), 2, 1),
			ignoreMissing: fc.boolean(),
			concurrentRequests: fc.constantFrom(20, 1, 2),
			maxTries: fc.constantFrom(5, 1, 2),
			siteFaults: listOf(fc.record({ siteId, fault: siteFault }), 10),
			loginFaults: fewOf(loginFault, 5),
			revocations: fewOf(fc.integer({ min: 0, max: 5000 }), 3),
		}),
	);

export const faultPlan: fc.Arbitrary<FaultPlan> = fc.record({
	latencyMs: fc.constantFrom(0, 100, 1500),
	jitter: fc.constantFrom(0.5, 0, 0.99),
	tokens: fc.record({
		// Shorter ones end before a request's turn comes, where refusals have left one request a minute.
		lifetimeSeconds: fc.constantFrom(3600, 90),
		opaque: fc.boolean(),
		announcedLifetime: fc.constantFrom('3600', null),
	}),
	executions: fc.array(execution, { minLength: 1, maxLength: 3 }),
});
