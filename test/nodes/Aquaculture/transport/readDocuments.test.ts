import { siteDocument } from '../../../../api/site';
import type { Site } from '../../../../api/site';
import { TokenFailure } from '../../../../credentials/token/tokenFailure';
import { Emulator, UNLIMITED } from '../../../../emulator/server';
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
	it.each<[string, Array<number | 'reset'>, number]>([
		['the last answer', [500, 503], 503],
		['an answer before a failed connection', [503, 'reset'], 503],
		['an answer after a failed connection', ['reset', 500], 500],
	])('is told by %s', async (_what, faults, statusCode) => {
		for (const [index, status] of faults.entries()) {
			const fault =
				status === 'reset' ? { kind: status } : { kind: 'status' as const, status, headers: {} };
			emulator.fail({ route: 'site', fault, ...(index < faults.length - 1 && { times: 1 }) });
		}

		const { outcomes, statistics } = await read([site(7)]);

		expect(outcomes[0]?.failure).toMatchObject({ statusCode });
		expect(outcomes[0]?.failure?.description).toContain('The request was sent 3 times.');
		expect(statistics.repeatedRequests).toBe(2);
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

	beforeEach(() => {
		hasten();
		answer();
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

	it.each<[string, number[], number, number]>([
		['what need not wait', [1, 2], 0, 2],
		['a site that is asked for several times once', [1, 1, 2, 2], 0, 2],
		['nothing where Maximum Wait is too short', [1, 2, 3, 4, 5], 2 * MINUTE_MS - 1, 0],
	])('sends %s', async (_what, siteIds, maxWaitMs, requests) => {
		const { outcomes } = await read(
			siteIds.map((siteId) => site(siteId)),
			{ maxWaitMs },
			limited(2),
		);

		expect(sent()).toBe(requests);
		expect(outcomes.map(({ failure }) => failure?.accountWide)).toEqual(
			siteIds.map(() => (requests === 0 ? true : undefined)),
		);
	});

	it('lets a poll begin whatever it can read, and ends it when it is cancelled', async () => {
		const transport = limited(2, { isPoll: true });

		const reading = read(
			[1, 2, 3, 4, 5, 6, 7, 8, 9].map((siteId) => site(siteId)),
			{ maxWaitMs: Infinity },
			transport,
		);
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
});

describe('cancelling', () => {
	it.each<[string, () => Transport | Promise<Transport>]>([
		[
			'the wait for the budget',
			async () => {
				answer();
				const username = 'used-up';
				await read(
					[site(9)],
					{},
					transportTo(emulator.baseUrl, { username, requestsPerMinute: 1 }),
				);
				return transportTo(emulator.baseUrl, { username, requestsPerMinute: 1 });
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
