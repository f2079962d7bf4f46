import { siteDocument } from '../../../../service/siteAnswer';
import type { Site } from '../../../../service/siteAnswer';
import { TokenFailure } from '../../../../credentials/token/tokenFailure';
import { Emulator, UNLIMITED } from '../../../../emulator/server';
import type { Answer } from '../../../../nodes/Aquaculture/requests/answer';
import { causeOf } from '../../../../nodes/Aquaculture/requests/failure';
import type { Outcome } from '../../../../nodes/Aquaculture/requests/outcome';
import {
	readDocuments,
	type Statistics,
} from '../../../../nodes/Aquaculture/requests/readDocuments';
import type { RequestLimits } from '../../../../nodes/Aquaculture/requests/retryingReader';
import type { DocumentRequest } from '../../../../nodes/Aquaculture/requests/request';
import type { Transport } from '../../../../nodes/Aquaculture/requests/transport';
import { HOUR_MS, MINUTE_MS } from '../../../../texts/duration';
import { jumpingTime } from '../../../../testbed/engine/jumpingTime';
import { PASSWORD, transportTo, type Circumstances } from './transportTo';

const LIMITS: RequestLimits = {
	concurrentRequests: 1,
	timeoutMs: 2000,
	maxTries: 3,
	maxTimeMs: 30_000,
	maxWaitMs: HOUR_MS,
};

type SiteOutcome = Outcome<Answer<Site>>;

let emulator: Emulator;

beforeAll(async () => {
	emulator = await Emulator.start(UNLIMITED);
});
afterAll(async () => await emulator.stop());
afterEach(() => {
	emulator.reset();
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

const sites = (count: number) => Array.from({ length: count }, (_, index) => site(index + 1));
const sent = () => emulator.journal.count('site');
const after = async (milliseconds: number) =>
	await new Promise((resolve) => setTimeout(resolve, milliseconds));
const failures = (outcomes: SiteOutcome[]) => outcomes.map(({ failure }) => failure?.message);

/** The transport of an account that the emulator knows, without a token. */
function loggingIn(circumstances: Circumstances = {}): Transport {
	const transport = transportTo(emulator.baseUrl, { ...circumstances, accessToken: '' });
	emulator.settings.accounts[transport.account.connection.username] = PASSWORD;
	return transport;
}

async function read(
	requests: Array<DocumentRequest<Site>>,
	limits: Partial<RequestLimits> = {},
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

it('documents that are asked for more than once are read once, and each answer is apart', async () => {
	answer();

	const { outcomes } = await read([site(7), site(7), site(7, '2024-05-06'), site(7, '')]);

	expect(sent()).toBe(2);
	const answers = outcomes.map(({ value }) => value);
	expect(answers.map((read) => read?.json)).toEqual(Array(4).fill({ siteName: 'Fjord' }));
	const [first, second] = answers;
	expect(second).toEqual({ ...first, headers: { ...first?.headers } });
	expect(second?.json).not.toBe(first?.json);
	expect(second?.headers).not.toBe(first?.headers);
});

it('documents are not asked for any more where no token can be had', async () => {
	let asked = 0;
	const transport = transportTo(emulator.baseUrl, {
		beforeSending() {
			asked += 1;
			throw new TokenFailure({ message: 'Refused', description: 'Do this' });
		},
	});

	const { outcomes } = await read(sites(3), {}, transport);

	expect(failures(outcomes)).toEqual(Array(3).fill('Refused'));
	expect(asked).toBe(1);
});

it('documents are not asked for any more where one ends the reading, and what is under way is ended', async () => {
	failWith(404, {}, 1);
	emulator.fail({ route: 'site', fault: { kind: 'hang' } });
	const transport = transportTo(emulator.baseUrl);
	const delivered: unknown[] = [];

	const reading = readDocuments(
		transport,
		sites(4),
		{ ...LIMITS, concurrentRequests: 2 },
		(_request, outcome) => {
			delivered.push(outcome);
			throw new Error('Stop');
		},
	);

	await expect(reading).rejects.toThrow('Stop');
	expect(transport.cancellation.isCancelled).toBe(true);
	await after(50);
	expect(delivered).toHaveLength(1);
	expect(sent()).toBeLessThanOrEqual(3);
});

describe('a failure that may pass', () => {
	const { until } = jumpingTime();

	it.each<[Array<number | 'reset'>, number]>([
		[[500, 500, 503], 503],
		[[503, 'reset', 'reset'], 503],
		[['reset', 'reset', 500], 500],
	])(
		'a failure that may pass is told by a status, and the last one, after %j',
		async (tries, statusCode) => {
			for (const status of tries) {
				if (status === 'reset') emulator.fail({ route: 'site', fault: { kind: status }, times: 1 });
				else failWith(status, {}, 1);
			}

			const { outcomes, statistics } = await until(read([site(7)]));

			expect(outcomes[0]?.failure).toMatchObject({ statusCode });
			expect(outcomes[0]?.failure?.description).toContain('The request was sent 3 times.');
			expect(statistics.repeatedRequests).toBe(2);
		},
	);
});

it.each<[401 | 403, string, string]>([
	[
		401,
		'Another login keeps ending the session of this account, so site 1002 was not read',
		'sessionEnded',
	],
	[403, 'This account has no right to read site 1002', '403'],
])(
	'where another login ends each session, a site that is rejected with %d fails so: %s',
	async (rejection, message, cause) => {
		const others = await Emulator.start({ ...UNLIMITED, rejection });
		others.settings.accounts.shared = PASSWORD;
		const seen = new Set<unknown>();
		const transport = transportTo(others.baseUrl, {
			username: 'shared',
			accessToken: '',
			beforeSending: ({ url }) => {
				if (seen.size > 1 && !seen.has(url)) others.tokens.revokeAll();
				seen.add(url);
			},
		});
		const outcomes: Array<Outcome<unknown>> = [];

		const requests = [1001, 1002, 1003, 1001, 1002].map((siteId, index) =>
			siteDocument(siteId, [`part${index}`]),
		);
		await readDocuments(transport, requests, LIMITS, (_request, outcome) => outcomes.push(outcome));

		expect(outcomes.map(({ failure }) => failure?.message)).toEqual([
			...Array<undefined>(4),
			message,
		]);
		const [failure] = outcomes.flatMap((outcome) => outcome.failure ?? []);
		expect(failure && causeOf(failure)).toBe(cause);
		expect(failure?.statusCode).toBe(rejection);
		expect(others.journal.count('token')).toBe(4);
		await others.stop();
	},
);

describe('a refusal', () => {
	const { until } = jumpingTime();

	it('a refusal is not one of the tries of a site, and the wait after it is not part of its time', async () => {
		failWith(429, {}, 1);
		failWith(503, {}, 1);
		failWith(429, {}, 1);
		answer();

		const { outcomes, statistics } = await until(
			read([site(7)], {
				maxTries: 2,
				timeoutMs: 300,
				maxTimeMs: 1000,
			}),
		);

		expect(outcomes[0]?.value?.json).toEqual({ siteName: 'Fjord' });
		expect(statistics).toMatchObject({ repeatedRequests: 1, refusedRequests: 2 });
		// After each refusal.
		expect(Math.round(statistics.waitedMs / MINUTE_MS)).toBe(2);
		expect(statistics.obstacles).toEqual(new Set(['refusal']));
	});

	it('a refusal is repeated as long as Maximum Wait allows; then the sites that are left fail at once', async () => {
		failWith(429);

		const { outcomes, statistics } = await until(read(sites(3), { maxWaitMs: 4 * MINUTE_MS }));

		// After one minute and after two more: four more would be too long.
		expect(sent()).toBe(3);
		expect(outcomes.map(({ failure }) => failure)).toEqual(
			[1, 2, 3].map((siteId) => ({
				message: `The request for site ${siteId} would have waited longer than 'Maximum Wait (Minutes)' allows`,
				description: expect.stringMatching(
					/^The service refused requests because there were too many, .+ in 4 minutes, or raise 'Maximum Wait \(Minutes\)' under Options\.$/,
				) as unknown,
				noPlace: true,
				cause: 'noPlace',
			})),
		);
		expect(statistics).toMatchObject({ repeatedRequests: 0, refusedRequests: 3 });
	});
});

describe('the limit of the account', () => {
	const { until, wait } = jumpingTime();
	beforeEach(() => answer());

	it('the limit of the account lets pass at once what need not wait, such as two sites that are asked for twice', async () => {
		const { outcomes } = await until(
			read(
				[...sites(2), ...sites(2)],
				{ maxWaitMs: 0 },
				transportTo(emulator.baseUrl, { requestsPerMinute: 2 }),
			),
		);

		expect(sent()).toBe(2);
		expect(failures(outcomes)).toEqual(Array(4).fill(undefined));
	});

	it('the limit of the account leaves the answer of the service as the reason where it gives no time for another try', async () => {
		emulator.reset();
		failWith(503);
		const transport = transportTo(emulator.baseUrl, { requestsPerMinute: 1 });

		const { outcomes } = await until(read([site(7)], { maxWaitMs: 0 }, transport));

		expect(sent()).toBe(1);
		expect(outcomes[0]?.failure).toMatchObject({ statusCode: 503 });
	});

	it('the limit of the account sends nothing where the plan alone is longer than Maximum Wait', async () => {
		const { outcomes } = await until(
			read(
				sites(5),
				{ maxWaitMs: 2 * MINUTE_MS },
				transportTo(emulator.baseUrl, { requestsPerMinute: 2 }),
			),
		);

		expect(sent()).toBe(0);
		expect(outcomes.map(({ failure }) => failure)).toEqual(
			Array(5).fill({
				message:
					"Reading 5 sites would take about 3 minutes, longer than 'Maximum Wait (Minutes)' allows",
				description:
					"'Maximum Wait (Minutes)' is 2 minutes. The account may send 2 requests a minute, shared by all workflows. Raise 'Maximum Wait (Minutes)' under Options, or read fewer sites in one run.",
				accountWide: true,
			}),
		);
	});

	it('the limit of the account lets a poll begin whatever it can read, and ends it when it is cancelled', async () => {
		const transport = transportTo(emulator.baseUrl, { requestsPerMinute: 2, queueKind: 'poll' });

		const reading = read(sites(9), { maxWaitMs: Infinity }, transport);
		await wait(MINUTE_MS / 2);
		transport.cancellation.cancel();
		const { outcomes } = await until(reading);

		expect(sent()).toBe(1);
		expect(outcomes.map(({ failure }) => failure?.cancelled)).toEqual([
			undefined,
			...Array<boolean>(8).fill(true),
		]);
	});
});

it('the token is exchanged without using up a try of a site', async () => {
	const transport = loggingIn();
	await read([site(1001)], {}, transport);
	emulator.tokens.revokeAll();

	const { outcomes, statistics } = await read(
		[site(1002), site(1003)],
		{ maxTries: 1 },
		loggingIn({ username: transport.account.connection.username }),
	);

	expect(failures(outcomes)).toEqual([undefined, undefined]);
	expect(statistics).toMatchObject({ repeatedRequests: 0, refusedRequests: 0 });
	expect(emulator.journal.count('token')).toBe(2);
});

it('cancelling ends the pause before another try at once', async () => {
	failWith(503, { 'retry-after': '300' });
	const transport = transportTo(emulator.baseUrl);
	const limits = { concurrentRequests: 3, maxTimeMs: HOUR_MS };

	const reading = read(sites(3), limits, transport);
	while (sent() === 0) await after(5);
	// What is to be sent has been sent by then, also on a busy machine.
	await after(500);
	const before = sent();
	transport.cancellation.cancel();
	const { outcomes } = await reading;

	expect(outcomes.slice(-2).map(({ failure }) => failure?.cancelled)).toEqual([true, true]);
	await after(200);
	expect(sent()).toBe(before);
});
