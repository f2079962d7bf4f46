import { siteDocument } from '../../../../api/documents';
import type { Site } from '../../../../api/site';
import { TokenFailure } from '../../../../credentials/token/tokenFailure';
import { Emulator } from '../../../../emulator/server';
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
import { transportTo } from './transportTo';

const LIMITS: ReadingLimits = {
	concurrentRequests: 1,
	requestsPerSecond: Infinity,
	timeoutMs: 2000,
	maxTries: 3,
	maxTimeMs: 30_000,
};

type SiteOutcome = Outcome<Answer<Site>>;

let emulator: Emulator;

beforeAll(async () => {
	emulator = await Emulator.start();
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

	it.each([429, 503])(
		'keeps all sites waiting where the service asks for it with %d, and is given up where that is too long',
		async (status) => {
			failWith(status, { 'retry-after': '100' });

			const { outcomes, statistics } = await read([site(1), site(2)]);

			expect(sent()).toBe(1);
			expect(outcomes.map(({ failure }) => failure)).toMatchObject([
				{
					statusCode: status,
					description: expect.stringMatching(
						/^The service asks you to wait for (?:100|99) seconds, which is longer than Maximum Time per Site allows\. (?!.*The request was sent)/,
					) as unknown,
				},
				{
					message: 'The service asks to wait, so site 2 was not read',
					description: expect.stringMatching(
						/^The service asks you to wait for (?:100|99) seconds, which is longer than Maximum Time per Site allows\. Run the workflow again after that\.$/,
					) as unknown,
				},
			]);
			expect(statistics.heldMs).toBeLessThan(2000);
		},
	);

	it.each<[number, boolean]>([
		[429, true],
		[503, false],
	])(
		'keeps the others waiting too where the service receives too many requests (%d: %j)',
		async (status, isHeld) => {
			jest.spyOn(Math, 'random').mockReturnValue(0.05);
			failWith(status, {}, 1);
			answer();

			const { outcomes, statistics } = await read([site(1), site(2)]);

			expect(outcomes.map(({ failure }) => failure)).toEqual([undefined, undefined]);
			expect(statistics.heldMs > 0).toBe(isHeld);
		},
	);

	it('is given up where the service asks for a long wait meanwhile', async () => {
		jest.spyOn(Math, 'random').mockReturnValue(0.1);
		emulator.fail({ route: 'site', siteId: 1, fault: { kind: 'status', status: 503 } });
		emulator.fail({
			route: 'site',
			siteId: 2,
			fault: { kind: 'status', status: 429, headers: { 'retry-after': '100' } },
		});

		const { outcomes } = await read([site(1), site(2)], { concurrentRequests: 2 });

		expect(sent()).toBe(2);
		const [given] = outcomes.filter(({ failure }) => failure?.statusCode === 503);
		expect(given?.failure?.description).toMatch(
			/^The service asks you to wait for (?:100|99) seconds, which is longer than Maximum Time per Site allows\. (?!.*The request was sent)/,
		);
	});

	it('has as many tries as fit into its time, whatever it is', async () => {
		emulator.fail({ route: 'site', fault: { kind: 'hang' } });

		const { outcomes } = await read([site(7)], { timeoutMs: 30, maxTimeMs: 20_000, maxTries: 2 });

		expect(sent()).toBe(2);
		expect(outcomes[0]?.failure).toMatchObject({
			message: 'The service did not send the whole answer for site 7 within 0.03 seconds',
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
