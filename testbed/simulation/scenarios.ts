import { RateLimiter } from '../../nodes/Aquaculture/limit/rateLimiter';
import { Queue } from '../../nodes/Aquaculture/limit/queue';
import { LimitedService, type ServiceSettings } from './limitedService';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

type Counting = Pick<ServiceSettings, 'hasFixedMinutes' | 'countsRefused' | 'retryAfterMs'>;

/** The operator does not publish how the service counts. */
export const EVERY_COUNTING: readonly Counting[] = [true, false].flatMap((hasFixedMinutes) =>
	[true, false].flatMap((countsRefused) =>
		[undefined, 5 * SECOND_MS].map((retryAfterMs) => {
			return { hasFixedMinutes, countsRefused, retryAfterMs };
		}),
	),
);

/** Two with the worst figures. */
export const TWO_COUNTINGS: readonly Counting[] = [
	{ hasFixedMinutes: true, countsRefused: true, retryAfterMs: 5 * SECOND_MS },
	{ hasFixedMinutes: false, countsRefused: false, retryAfterMs: undefined },
];

/** Returns the highest figures over several ways of counting. */
async function maxOver<T>(
	countings: readonly Counting[],
	play: (counting: Counting) => Promise<T>,
	...figures: Array<(result: T) => number>
): Promise<number[]> {
	const results = await Promise.all(countings.map(play));
	return figures.map((figure) => Math.max(...results.map(figure)));
}

const formatMs = (ms: number) =>
	ms < 2 * MINUTE_MS ? `${(ms / SECOND_MS).toFixed(1)} s` : `${(ms / MINUTE_MS).toFixed(1)} min`;

/** Starts a credential test, ten sites and four triggers some time after a run of 420 sites. */
async function besideALongRun(afterMs: number) {
	const service = new LimitedService();
	const { clock } = service;
	const run = service.read(420);
	await clock.advance(afterMs);
	const from = clock.now();
	const test = service.read(1, { kind: 'login' });
	const ten = service.read(10);
	let pollsRead = 0;
	const trigger = async (second: number) => {
		await clock.sleep(second * SECOND_MS);
		for (let polls = 0; polls < 4; polls++) {
			const deadline = clock.now() + 27 * SECOND_MS;
			if ((await service.read(5, { kind: 'poll', deadline })) < Infinity) pollsRead += 1;
			await clock.sleep(deadline + 33 * SECOND_MS - clock.now());
		}
	};
	const triggers = Promise.all([0, 7, 14, 21].map(trigger));
	const testMs = (await service.settle(test)) - from;
	const tenMs = (await service.settle(ten)) - from;
	await service.settle(triggers);
	const runMs = await service.settle(run);
	return { testMs, tenMs, pollsRead, runMs, refusals: service.refusals };
}

/** Counts complete polls of a trigger of five sites that polls some time after one of 150 sites. */
async function besideABigTrigger(laterMs: number) {
	const service = new LimitedService();
	const { clock } = service;
	const POLL_MS = 39 * SECOND_MS;
	let complete = 0;
	const trigger = async (sites: number, firstAt: number) => {
		await clock.sleep(firstAt);
		for (let polls = 0; polls < 5; polls++) {
			const nextAt = clock.now() + MINUTE_MS;
			const deadline = clock.now() + POLL_MS;
			const isComplete = (await service.read(sites, { kind: 'poll', deadline })) < Infinity;
			if (isComplete && sites === 5) complete += 1;
			await clock.sleep(nextAt - clock.now());
		}
	};
	await service.settle(Promise.all([trigger(150, 0), trigger(5, laterMs)]));
	return complete;
}

/** Runs all the time for three hours while others send a constant number of requests a minute. */
async function constantUse(others: number, settings: Partial<ServiceSettings> = {}, processes = 1) {
	const HOURS = 3;
	const service = new LimitedService({ othersPerMinute: () => others, ...settings });
	const { number = 100 } = settings;
	const from = 70 * SECOND_MS;
	await service.clock.advance(from);
	for (let process = 0; process < processes; process++) {
		void service.read(50_000, {
			limiter: process === 0 ? service.limiter : new RateLimiter(service.clock),
		});
	}
	await service.clock.advance(HOURS * HOUR_MS);
	const hours = Array.from({ length: HOURS }, (_, hour) =>
		service.ours.filter(({ at }) => Math.floor((at - from) / HOUR_MS) === hour),
	);
	const refusals = hours.map((hour) => hour.filter(({ isRefused }) => isRefused).length);
	const taken = service.ours.length - service.refusals;
	return {
		first: refusals[0] ?? NaN,
		later: Math.max(...refusals.slice(1)),
		used: taken / ((number - others) * 60 * HOURS),
	};
}

/** Runs all the time while others send 150 requests a minute for 15 minutes. */
async function heavyUse(settings: Partial<ServiceSettings>) {
	const USE_MS = 15 * MINUTE_MS;
	const othersPerMinute = (at: number) => (at < USE_MS ? 150 : 0);
	const service = new LimitedService({ othersPerMinute, ...settings });
	await service.clock.advance(SECOND_MS);
	void service.read(10_000);
	await service.clock.advance(2 * HOUR_MS);
	const times = service.ours.filter(({ isRefused }) => !isRefused).map(({ at }) => at);
	const full = times.find(
		(at, i) => at > USE_MS && (times[i + 90] ?? Infinity) - at < 62 * SECOND_MS,
	);
	return { fullMs: (full ?? Infinity) - USE_MS, refusals: service.refusals };
}

/** Reads 420 sites beside 90 runs of one site a minute. */
async function besideSmallRuns() {
	const service = new LimitedService();
	const { clock } = service;
	let isDone = false;
	const long = service.read(420).finally(() => (isDone = true));
	const waits: number[] = [];
	const small = async () => {
		const from = clock.now();
		waits.push((await service.read(1)) - from);
	};
	const beside = async () => {
		for (; !isDone; await clock.sleep(MINUTE_MS / 90)) void small();
	};
	const [runMs] = await service.settle(Promise.all([long, beside()]));
	return { runMs, maxWaitMs: Math.max(...waits), refusals: service.refusals };
}

/** Returns the milliseconds of many requests of 0.6 s, a minute after a refusal and beside a request that hangs. */
async function afterOneRefusal(accepted: number, isOther: boolean) {
	const service = new LimitedService({ number: Infinity, latencyMs: 300 });
	const { limiter, clock } = service;
	const queue = new Queue('execution', 100);
	await service.settle(service.read(accepted));
	const refused = await service.settle(limiter.acquire({ queue }));
	if (refused) limiter.reportRateLimited(refused, SECOND_MS);
	await clock.advance(2 * SECOND_MS);
	await service.settle(service.read(1));
	await clock.advance(MINUTE_MS);
	void limiter.acquire({ queue });
	const from = clock.now();
	return (await service.settle(service.read(isOther ? 220 : 60, { isOther }))) - from;
}

async function maxAfterOneRefusal(isOther: boolean) {
	return Math.max(
		...(await Promise.all(
			[0, 1, 5, 50].map(async (sites) => await afterOneRefusal(sites, isOther)),
		)),
	);
}

/** `isGood` says whether the figures are within their bounds. */
export interface Scenario {
	what: string;
	play(countings: readonly Counting[]): Promise<{ end: string; isGood: boolean }>;
}

const alone = (sites: number, maxMs: number): Scenario => ({
	what: sites === 1 ? 'One site, alone' : `${sites} sites, alone`,
	async play() {
		const service = new LimitedService();
		const ms = await service.settle(service.read(sites));
		const isWithin = service.maxPerMinute() <= 100 && service.refusals === 0;
		return { end: formatMs(ms), isGood: ms <= maxMs && isWithin };
	},
});

const beside = (afterSeconds: number): Scenario => ({
	what: `420 sites; ${afterSeconds} s later a test, ten sites, four triggers`,
	async play() {
		const { runMs, testMs, tenMs, pollsRead, refusals } = await besideALongRun(
			afterSeconds * SECOND_MS,
		);
		return {
			end: `${formatMs(runMs)}; test ${formatMs(testMs)}, ten sites ${formatMs(tenMs)}, ${pollsRead} of 16 polls complete`,
			isGood:
				[runMs <= 5.5 * MINUTE_MS, testMs <= SECOND_MS, tenMs <= 10 * SECOND_MS].every(Boolean) &&
				pollsRead === 16 &&
				refusals === 0,
		};
	},
});

const others = (perMinute: number, maxFirst: number): Scenario => ({
	what: `Others always send ${perMinute} a minute`,
	async play(countings) {
		const [first = NaN, later = NaN, unused = NaN] = await maxOver(
			countings,
			async (settings) => await constantUse(perMinute, settings),
			(result) => result.first,
			(result) => result.later,
			({ used }) => 1 - used,
		);
		return {
			end: `${first} refusals, then ${later} an hour; ${Math.floor(100 * (1 - unused))} % used`,
			isGood: first <= maxFirst && later <= 5 && unused <= 0.25,
		};
	},
});

const lower = (number: number): Scenario => ({
	what: `The service takes only ${number} a minute`,
	async play(countings) {
		const [first = NaN, later = NaN, unused = NaN] = await maxOver(
			countings,
			async (settings) => await constantUse(0, { ...settings, number }),
			(result) => result.first,
			(result) => result.later,
			({ used }) => 1 - used,
		);
		return {
			end: `${first} refusals, then ${later} an hour`,
			isGood: first <= 22 && later <= 5 && unused <= 0.25,
		};
	},
});

/** People who share an account of 100 requests a minute. docs/maintaining.md has the results. */
export const SCENARIOS: Scenario[] = [
	alone(1, SECOND_MS),
	alone(90, 2 * SECOND_MS),
	alone(300, 195 * SECOND_MS),
	alone(420, 275 * SECOND_MS),
	...[0, 20, 60, 70].map(beside),
	{
		what: 'A trigger of 5 sites beside one of 150; of 5 polls complete, at any time',
		async play() {
			const laterMs = Array.from({ length: 12 }, (_, index) => 5 * index * SECOND_MS);
			const complete = Math.min(...(await Promise.all(laterMs.map(besideABigTrigger))));
			return { end: `${complete} polls`, isGood: complete === 5 };
		},
	},
	{
		what: 'Two runs of 420 sites at the same time',
		async play() {
			const service = new LimitedService();
			const run = async () => await service.read(420);
			const ms = Math.max(...(await service.settle(Promise.all([run(), run()]))));
			return { end: formatMs(ms), isGood: ms <= 9 * MINUTE_MS && service.refusals === 0 };
		},
	},
	{
		what: '420 sites beside 90 runs of one site a minute; the longest of these',
		async play() {
			const { runMs, maxWaitMs, refusals } = await besideSmallRuns();
			const isGood = runMs <= HOUR_MS && maxWaitMs <= 30 * SECOND_MS && refusals === 0;
			return { end: `${formatMs(runMs)}, ${formatMs(maxWaitMs)}`, isGood };
		},
	},
	{
		what: 'One refusal; a minute later 60 sites of 0.6 s beside a request that hangs',
		async play() {
			const ms = await maxAfterOneRefusal(false);
			return { end: formatMs(ms), isGood: ms <= 15 * SECOND_MS };
		},
	},
	{
		what: 'One refusal; a minute later 220 items of the HTTP Request node beside a request that hangs',
		async play() {
			const ms = await maxAfterOneRefusal(true);
			return { end: formatMs(ms), isGood: ms <= 4 * MINUTE_MS };
		},
	},
	{
		what: 'Others have used up the minute; 60 sites',
		async play() {
			const service = new LimitedService();
			service.exhaust(100);
			await service.clock.advance(SECOND_MS);
			const ms = await service.settle(service.read(60));
			const { refusals } = service;
			return {
				end: `${formatMs(ms)}, ${refusals} refused`,
				isGood: ms <= 65 * SECOND_MS && refusals <= 2,
			};
		},
	},
	{
		what: 'Others send 150 a minute for a quarter of an hour; full speed after that',
		async play(countings) {
			const [ms = NaN, refusals = NaN] = await maxOver(
				countings,
				heavyUse,
				({ fullMs }) => fullMs,
				(result) => result.refusals,
			);
			return { end: formatMs(ms), isGood: ms <= 30 * MINUTE_MS && refusals <= 20 };
		},
	},
	others(30, 12),
	others(70, 12),
	others(90, 15),
	...[5, 20, 50].map(lower),
	{
		what: 'Two processes that do not know of each other',
		async play(countings) {
			const [later = NaN, unused = NaN] = await maxOver(
				countings,
				async (settings) => await constantUse(0, settings, 2),
				(result) => result.later,
				({ used }) => 1 - used,
			);
			return { end: `${later} refusals an hour`, isGood: later <= 8 && unused <= 0.25 };
		},
	},
];
