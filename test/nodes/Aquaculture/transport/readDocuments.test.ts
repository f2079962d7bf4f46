import { siteDocument } from '../../../../api/documents';
import type { Site } from '../../../../api/site';
import { TokenFailure } from '../../../../credentials/token/tokenFailure';
import { Emulator, UNLIMITED } from '../../../../emulator/server';
import { Cancellation } from '../../../../nodes/Aquaculture/transport/cancellation';
import {
	readDocuments,
	type ReadingLimits,
	type Statistics,
} from '../../../../nodes/Aquaculture/transport/readDocuments';
import type {
	Answer,
	DocumentRequest,
	Outcome,
} from '../../../../nodes/Aquaculture/transport/request';
import type { Transport } from '../../../../nodes/Aquaculture/transport/transport';
import { hasten, SHORT_MINUTE_MS } from './hasten';
import { PASSWORD, transportTo, type Circumstances } from './transportTo';

const LIMITS: ReadingLimits = {
	concurrentRequests: 1,
	timeoutMs: 2000,
	maxTries: 3,
	maxTimeMs: 30_000,
	maxWaitMs: 60 * 60_000,
};
const MINUTE_MS = 60_000;

type SiteOutcome = Outcome<Answer<Site>>;

let emulator: Emulator;

beforeAll(async () => {
	emulator = await Emulator.start(UNLIMITED);
});
afterAll(async () => await emulator.stop());
// The first pause is none at all then.
beforeEach(() => jest.spyOn(Math, 'random').mockReturnValue(0));
afterEach(() => {
	emulator.reset();
	emulator.settings.latencyMs = 0;
	jest.restoreAllMocks();
});

const site = (siteId: number, dataVersion?: string): DocumentRequest<Site> => ({
	...siteDocument(siteId, []),
	check: (body) => ({ value: body as Site }),
	dataVersion,
});

const failWith = (status: number, headers: Record<string, string> = {}, times?: number) =>
	emulator.fail({
		route: 'site',
		fault: { kind: 'status', status, headers },
		...(times !== undefined && { times }),
	});

const answer = () =>
	emulator.fail({ route: 'site', fault: { kind: 'body', body: '{"siteName":"Fjord"}' } });

const sent = () => emulator.journal.count('site');
const failures = (outcomes: SiteOutcome[]) => outcomes.map(({ failure }) => failure?.message);

/** The transport of an account that the emulator knows, and that has no token yet. */
function loggingIn(circumstances: Circumstances = {}): Transport {
	const transport = transportTo(emulator.baseUrl, { ...circumstances, accessToken: '' });
	emulator.settings.accounts[transport.connection.username] = PASSWORD;
	return transport;
}

async function read(
	requests: Array<DocumentRequest<Site>>,
	limits: Partial<ReadingLimits> = {},
	transport: Transport = transportTo(emulator.baseUrl),
): Promise<{ outcomes: SiteOutcome[]; statistics: Statistics }> {
	const outcomes: SiteOutcome[] = [];
	const statistics = await readDocuments(
		transport,
		requests,
		{ ...LIMITS, ...limits },
		(_request, outcome) => outcomes.push(outcome),
	);
	return { outcomes, statistics };
}

describe('documents', () => {
	it('that are asked for more than once are read once, and each answer is apart', async () => {
		answer();

		const { outcomes } = await read([site(7), site(7), site(7, '2024-05-06'), site(7, '')]);

		expect(sent()).toBe(2);
		expect(outcomes.map(({ answer: read }) => read?.json)).toEqual(
			Array(4).fill({ siteName: 'Fjord' }),
		);
		const [first, second] = outcomes.map(({ answer: read }) => read);
		expect(second).toEqual({ ...first, headers: { ...first?.headers } });
		expect(second?.json).not.toBe(first?.json);
		expect(second?.headers).not.toBe(first?.headers);
	});

	it('are not asked for any more where no token can be had', async () => {
		let asked = 0;
		const transport = transportTo(emulator.baseUrl, {
			beforeSending() {
				asked += 1;
				throw new TokenFailure({ message: 'Refused', description: 'Do this' });
			},
		});

		const { outcomes } = await read([site(1), site(2), site(3)], {}, transport);

		expect(outcomes.map(({ failure }) => failure?.message)).toEqual(Array(3).fill('Refused'));
		expect(asked).toBe(1);
	});

	it('are not asked for any more where one ends the reading, and what is under way is ended', async () => {
		failWith(404, {}, 1);
		emulator.fail({ route: 'site', fault: { kind: 'hang' } });
		const transport = transportTo(emulator.baseUrl);
		const delivered: unknown[] = [];

		const reading = readDocuments(
			transport,
			[1, 2, 3, 4].map((siteId) => site(siteId)),
			{ ...LIMITS, concurrentRequests: 2 },
			(_request, outcome) => {
				delivered.push(outcome);
				throw new Error('Stop');
			},
		);

		await expect(reading).rejects.toThrow('Stop');
		expect(transport.cancellation.isCancelled).toBe(true);
		await new Promise((resolve) => setTimeout(resolve, 50));
		expect(delivered).toHaveLength(1);
		expect(sent()).toBeLessThanOrEqual(3);
	});
});

describe('a failure that may pass', () => {
	it.each([
		[1, 'The request was sent'],
		[3, 'The request was sent 3 times.'],
	])('is tried %d times at the most', async (maxTries, told) => {
		failWith(503);

		const { outcomes, statistics } = await read([site(7)], { maxTries });

		expect(sent()).toBe(maxTries);
		expect(statistics).toMatchObject({ repeatedRequests: maxTries - 1 });
		expect(outcomes[0]?.failure?.description.includes(told)).toBe(maxTries > 1);
	});

	it('is told by what the service has answered, if it has', async () => {
		failWith(503, {}, 1);
		emulator.fail({ route: 'site', fault: { kind: 'reset' } });
		const { outcomes } = await read([site(7)]);
		expect(outcomes[0]?.failure).toMatchObject({ statusCode: 503 });

		emulator.reset();
		emulator.fail({ route: 'site', fault: { kind: 'reset' }, times: 1 });
		failWith(500);
		const { outcomes: others } = await read([site(7)]);
		expect(others[0]?.failure).toMatchObject({ statusCode: 500 });

		emulator.reset();
		failWith(500, {}, 1);
		failWith(503);
		const { outcomes: last } = await read([site(7)]);
		expect(last[0]?.failure).toMatchObject({ statusCode: 503 });
	});

	it.each([408, 503])(
		'waits for as long as the service asks with %d, alone, and is given up where that is too long',
		async (status) => {
			const fault = { kind: 'status' as const, status };
			const headers = (seconds: number) => ({ 'retry-after': `${seconds}` });
			emulator.fail({ route: 'site', siteId: 1, fault: { ...fault, headers: headers(100) } });
			emulator.fail({
				route: 'site',
				siteId: 2,
				fault: { ...fault, headers: headers(1) },
				times: 1,
			});
			answer();
			const beganAt = performance.now();
			const readAt: number[] = [];

			const outcomes = new Map<string, SiteOutcome>();
			await readDocuments(
				transportTo(emulator.baseUrl),
				[site(1), site(2), site(3)],
				{ ...LIMITS, concurrentRequests: 2 },
				({ subject }, outcome) => {
					outcomes.set(subject, outcome);
					readAt.push(performance.now() - beganAt);
				},
			);

			expect([...outcomes.keys()]).toEqual(['site 1', 'site 3', 'site 2']);
			expect(outcomes.get('site 1')?.failure).toMatchObject({
				statusCode: status,
				description: expect.stringMatching(
					/^The service asks you to wait for 100 seconds, which is longer than 'Maximum Time per Site' allows\. (?!.*The request was sent)/,
				) as unknown,
			});
			expect(outcomes.get('site 2')?.answer?.json).toEqual({ siteName: 'Fjord' });
			expect(readAt[1]).toBeLessThan(800);
			expect(readAt[2]).toBeGreaterThanOrEqual(990);
		},
	);

	it('has as many tries as fit into its time, whatever it is', async () => {
		emulator.fail({ route: 'site', fault: { kind: 'hang' } });

		const { outcomes } = await read([site(7)], { timeoutMs: 30, maxTimeMs: 20_000, maxTries: 2 });

		expect(sent()).toBe(2);
		expect(outcomes[0]?.failure).toMatchObject({
			message: 'Site 7 took longer than 0.03 seconds',
			timedOut: true,
		});
	});

	it('has no second try where no time is left for one', async () => {
		failWith(503);

		await read([site(7)], { maxTimeMs: 2500 });
		expect(sent()).toBe(3);

		emulator.reset();
		failWith(503);
		await read([site(7)], { maxTimeMs: 1, timeoutMs: 900 });
		expect(sent()).toBe(1);
	});

	it('has the time of a try for the first one at least', async () => {
		answer();
		emulator.settings.latencyMs = 50;

		const { outcomes } = await read([site(7)], { maxTimeMs: 1 });

		expect(outcomes[0]?.answer?.json).toEqual({ siteName: 'Fjord' });
	});
});

describe('a refusal', () => {
	beforeEach(hasten);

	it('is not one of the tries of a site, and the wait after it is not part of its time', async () => {
		failWith(429, {}, 1);
		failWith(503, {}, 1);
		failWith(429, {}, 1);
		answer();

		const { outcomes, statistics } = await read([site(7)], {
			maxTries: 2,
			timeoutMs: 300,
			maxTimeMs: 1000,
		});

		expect(outcomes[0]?.answer?.json).toEqual({ siteName: 'Fjord' });
		expect(statistics).toMatchObject({ repeatedRequests: 1, refusedRequests: 2 });
		// After each refusal, and between two requests: no more than one a minute has been accepted.
		expect(Math.round(statistics.waitedMs / MINUTE_MS)).toBe(3);
	});

	it('stops the other sites too, for as long as the service asks', async () => {
		failWith(429, { 'retry-after': '30' }, 1);
		answer();

		const { outcomes, statistics } = await read([site(1), site(2)]);

		expect(failures(outcomes)).toEqual([undefined, undefined]);
		expect(sent()).toBe(3);
		const [refused, next] = emulator.journal.of('site');
		const pausedMs = (next?.receivedAt ?? 0) - (refused?.receivedAt ?? 0);
		expect(pausedMs).toBeGreaterThanOrEqual(SHORT_MINUTE_MS / 2);
		expect(statistics).toMatchObject({ repeatedRequests: 0, refusedRequests: 1 });
	});

	it('is repeated as long as Maximum Wait allows; then the sites that are left fail at once', async () => {
		failWith(429);

		const { outcomes, statistics } = await read([site(1), site(2), site(3)], {
			maxWaitMs: 4 * MINUTE_MS,
		});

		// After one minute and after two more: four more would be too long.
		expect(sent()).toBe(3);
		expect(outcomes.map(({ failure }) => failure)).toEqual(
			[1, 2, 3].map((siteId) => ({
				message: `The request for site ${siteId} would have waited longer than 'Maximum Wait' allows`,
				description: expect.stringMatching(
					/^The service refused requests because there were too many, .+ in 4 minutes, or raise 'Maximum Wait' under Options\.$/,
				) as unknown,
				hadNoTurn: true,
				cause: 'noTurn',
			})),
		);
		expect(statistics).toMatchObject({ repeatedRequests: 0, refusedRequests: 3 });
	});
});

describe('the limit of the account', () => {
	const limited = (requestsPerMinute: number, circumstances: Circumstances = {}) =>
		transportTo(emulator.baseUrl, { requestsPerMinute, ...circumstances });
	const sites = (count: number) => Array.from({ length: count }, (_, index) => site(index + 1));

	beforeEach(() => {
		hasten();
		answer();
	});

	it('keeps sites waiting, which counts neither for Timeout nor for Maximum Time per Site', async () => {
		const beganAt = performance.now();

		const { outcomes, statistics } = await read(
			sites(3),
			{ timeoutMs: 300, maxTimeMs: 300, maxWaitMs: 3 * MINUTE_MS, concurrentRequests: 3 },
			limited(1),
		);

		expect(failures(outcomes)).toEqual(Array(3).fill(undefined));
		expect(performance.now() - beganAt).toBeGreaterThan(2 * SHORT_MINUTE_MS);
		expect(statistics).toMatchObject({ repeatedRequests: 0, refusedRequests: 0 });
		expect(Math.round(statistics.waitedMs / MINUTE_MS)).toBe(2);
		expect(statistics.tookMs).toBeGreaterThan(2 * SHORT_MINUTE_MS);
		expect(emulator.journal.busiestMinute(undefined, SHORT_MINUTE_MS)).toBe(1);
	});

	it('counts repeated requests and logins as well', async () => {
		emulator.reset();
		failWith(503, {}, 1);
		answer();

		const { outcomes } = await read([site(7)], {}, loggingIn({ requestsPerMinute: 2 }));

		expect(failures(outcomes)).toEqual([undefined]);
		const [login, first, second] = emulator.journal.requests.map(({ receivedAt }) => receivedAt);
		expect((first ?? NaN) - (login ?? NaN)).toBeLessThan(SHORT_MINUTE_MS / 2);
		expect((second ?? NaN) - (login ?? NaN)).toBeGreaterThanOrEqual(SHORT_MINUTE_MS);
	});

	it('fails the sites that are left at once, where all together have waited for Maximum Wait', async () => {
		const username = 'shared-account';
		await read([site(7)], {}, limited(1, { username }));
		let firstAt = NaN;
		const outcomes: SiteOutcome[] = [];

		const statistics = await readDocuments(
			limited(1, { username }),
			sites(2),
			{ ...LIMITS, maxWaitMs: MINUTE_MS },
			(_request, outcome) => {
				outcomes.push(outcome);
				if (outcome.answer) firstAt = performance.now();
			},
		);

		expect(performance.now() - firstAt).toBeLessThan(SHORT_MINUTE_MS / 2);
		expect(outcomes.map(({ failure }) => failure)).toEqual([
			undefined,
			{
				message: "The request for site 2 would have waited longer than 'Maximum Wait' allows",
				description: expect.stringMatching(
					/^The account may send 1 request a minute, shared by all workflows\. Run the workflow again in (?:60|59) seconds, /,
				) as unknown,
				hadNoTurn: true,
				cause: 'noTurn',
			},
		]);
		expect(Math.round(statistics.waitedMs / MINUTE_MS)).toBe(1);
		expect(sent()).toBe(2);
	});

	it('sends what need not wait, also where Maximum Wait is none at all', async () => {
		const { outcomes } = await read(sites(2), { maxWaitMs: 0 }, limited(2));

		expect(failures(outcomes)).toEqual([undefined, undefined]);
	});

	it('sends nothing where it is clear from the beginning that Maximum Wait is too short', async () => {
		const { outcomes } = await read(sites(5), { maxWaitMs: 2 * MINUTE_MS - 1 }, limited(2));

		expect(sent()).toBe(0);
		expect(outcomes.map(({ failure }) => failure)).toEqual(
			Array(5).fill({
				message: "Reading 5 sites would take at least 2 minutes, longer than 'Maximum Wait' allows",
				description:
					"The account may send 2 requests a minute. Raise 'Maximum Wait' under Options, or read fewer sites in one run.",
				accountWide: true,
			}),
		);
	});

	it('counts a site that is asked for several times once', async () => {
		const { outcomes } = await read([site(1), site(1), site(1)], { maxWaitMs: 0 }, limited(1));

		expect(failures(outcomes)).toEqual([undefined, undefined, undefined]);
	});

	it('lets a poll begin whatever it can read, and ends it when it is cancelled', async () => {
		const transport = limited(2, { isPoll: true });

		const reading = read(sites(9), { maxWaitMs: Infinity }, transport);
		await new Promise((resolve) => setTimeout(resolve, SHORT_MINUTE_MS / 2));
		transport.cancellation.cancel();
		const { outcomes } = await reading;

		expect(sent()).toBe(1);
		expect(outcomes.map(({ failure }) => failure?.cancelled)).toEqual([
			undefined,
			...Array<boolean>(8).fill(true),
		]);
	});
});

describe('the token', () => {
	it('is exchanged without using up a try of a site', async () => {
		const transport = loggingIn();
		await read([site(1001)], {}, transport);
		emulator.tokens.revokeAll();

		const { outcomes, statistics } = await read(
			[site(1002), site(1003)],
			{ maxTries: 1 },
			loggingIn({ username: transport.connection.username }),
		);

		expect(failures(outcomes)).toEqual([undefined, undefined]);
		expect(statistics).toMatchObject({ repeatedRequests: 0, refusedRequests: 0 });
		expect(emulator.journal.count('token')).toBe(2);
	});

	it('is not exchanged for ever for a site that is rejected with each', async () => {
		failWith(401);

		const { outcomes } = await read([site(7)], { maxTries: 1 }, loggingIn());

		expect(outcomes[0]?.failure).toMatchObject({ statusCode: 401 });
		expect([sent(), emulator.journal.count('token')]).toEqual([2, 2]);
	});

	it('is obtained again where it was rejected for another site before the request was sent', async () => {
		const transport = loggingIn();
		const { send } = transport;
		let asked = 0;

		const { outcomes } = await read(
			[site(1001)],
			{ maxTries: 1 },
			{
				...transport,
				async send(...request) {
					asked += 1;
					if (asked === 1) throw Object.assign(new Error('A new token'), { httpCode: '401' });
					return await send(...request);
				},
			},
		);

		expect(failures(outcomes)).toEqual([undefined]);
		expect(asked).toBe(2);
	});

	it('is asked for once where the service refuses the login', async () => {
		const transport = transportTo(emulator.baseUrl, { accessToken: '' });

		const { outcomes } = await read([site(1), site(2), site(3)], {}, transport);

		expect(failures(outcomes)).toEqual(
			Array(3).fill('The service refused the username and password'),
		);
		expect(emulator.journal.count('token')).toBe(1);
		expect(sent()).toBe(0);
	});
});

describe('cancelling', () => {
	it.each<[string, () => Transport | Promise<Transport>]>([
		[
			'the wait for the budget',
			async () => {
				answer();
				const transport = transportTo(emulator.baseUrl, { requestsPerMinute: 2 });
				const first = { ...transport, cancellation: new Cancellation() };
				await read([site(8), site(9)], {}, first);
				return transport;
			},
		],
		[
			'the wait after a refusal',
			() => {
				failWith(429, { 'retry-after': '600' });
				return transportTo(emulator.baseUrl);
			},
		],
		[
			'the pause between two tries',
			() => {
				failWith(503, { 'retry-after': '20' });
				return transportTo(emulator.baseUrl);
			},
		],
		[
			'the wait for a login',
			() => {
				emulator.settings.latencyMs = 200;
				return loggingIn();
			},
		],
	])('ends %s at once', async (_what, prepare) => {
		const transport = await prepare();

		const reading = read([site(1), site(2)], { concurrentRequests: 2 }, transport);
		await new Promise((resolve) => setTimeout(resolve, 100));
		const before = sent();
		const cancelledAt = performance.now();
		transport.cancellation.cancel();
		const { outcomes } = await reading;

		expect(performance.now() - cancelledAt).toBeLessThan(50);
		expect(outcomes.map(({ failure }) => failure?.cancelled)).toEqual([true, true]);
		await new Promise((resolve) => setTimeout(resolve, 200));
		expect(sent()).toBe(before);
	});
});
