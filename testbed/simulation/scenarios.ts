import { Queue } from '../../account/limit/queue';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../texts/duration';
import { LimitedService, type ServiceSettings } from './limitedService';

/**
 * What people meet who share an account that may send 100 requests a minute, on a virtual clock: the budgets are the
 * product's own, the service counts as the operator might. Times are in milliseconds.
 */

/** How a service may count. */
export const COUNTING: Array<Partial<ServiceSettings>> = [true, false].flatMap((hasFixedMinutes) =>
	[true, false].flatMap((countsRefused) =>
		[undefined, 5 * SECOND_MS].map((retryAfterMs) => {
			return { hasFixedMinutes, countsRefused, retryAfterMs };
		}),
	),
);

/**
 * The three ways with the largest figures. Each night, and with `EVERY_WAY_OF_COUNTING` in the environment, tests
 * simulate all of them.
 */
export const TESTED_COUNTING: Array<Partial<ServiceSettings>> = process.env.EVERY_WAY_OF_COUNTING
	? COUNTING
	: [
			{ hasFixedMinutes: true, retryAfterMs: 5 * SECOND_MS },
			{ countsRefused: true },
			{ countsRefused: true, retryAfterMs: 5 * SECOND_MS },
		];

/** When the last of the documents has arrived; Infinity if one has not. */
export const lastOf = (arrived: ReadonlyArray<number | undefined>) =>
	Math.max(...arrived.map((at) => at ?? Infinity));

/** A run of so many sites, alone. */
export async function runAlone(sites: number) {
	const service = new LimitedService();
	const tookMs = lastOf(await service.finish(service.read(sites)));
	return { tookMs, busiestMinute: service.busiestMinute(), refusals: service.refusals.length };
}

/** A run of many sites, and who comes after some time of it. */
export async function besideALongRun(sites = 420, afterMs = 70 * SECOND_MS) {
	const service = new LimitedService();
	const { clock } = service;
	const run = service.read(sites);
	await clock.pass(afterMs);
	const from = clock.now();

	const test = (async () => {
		// It logs in twice.
		for (let logins = 0; logins < 2; logins++) {
			const place = await service.enter({ queue: service.budget.logins });
			if (place) await service.send(place);
		}
		return clock.now() - from;
	})();
	const tenSites = service.read(10);
	const pollsRead: boolean[] = [];
	const trigger = async (second: number) => {
		await clock.sleep(second * SECOND_MS);
		for (let polls = 0; polls < 4; polls++) {
			const beganAt = clock.now();
			const endsAt = beganAt + 27 * SECOND_MS;
			const arrived = await service.read(5, {
				queue: new Queue({ kind: 'poll', planned: 5, endsAt }),
			});
			pollsRead.push(lastOf(arrived) < Infinity);
			await clock.sleep(beganAt + MINUTE_MS - clock.now());
		}
	};
	const triggers = Promise.all([0, 7, 14, 21].map(trigger));
	const tenMs = lastOf(await service.finish(tenSites)) - from;
	await service.finish(triggers);
	return {
		testMs: await test,
		tenMs,
		pollsRead: pollsRead.filter((isRead) => isRead).length,
		polls: pollsRead.length,
		runMs: lastOf(await service.finish(run)),
		refusals: service.refusals.length,
	};
}

/** Two runs of 420 sites at once. */
export async function twoLongRuns() {
	const service = new LimitedService();
	const runs = await service.finish(Promise.all([service.read(420), service.read(420)]));
	return { tookMs: lastOf(runs.flat()), refusals: service.refusals.length };
}

/** A run of 420 sites beside runs of one site, so many a minute for as long as it takes. */
export async function besideSmallRuns(perMinute: number) {
	const service = new LimitedService();
	const { clock } = service;
	const smallMs: number[] = [];
	let isDone = false;
	const long = service.read(420).then((arrived) => {
		isDone = true;
		return lastOf(arrived);
	});
	const small = async () => {
		const from = clock.now();
		smallMs.push(lastOf(await service.read(1)) - from);
	};
	const beside = (async () => {
		while (!isDone) {
			void small();
			await clock.sleep(MINUTE_MS / perMinute);
		}
	})();
	const runMs = await service.finish(long);
	await service.finish(beside);
	return { runMs, smallMs: Math.max(...smallMs), refusals: service.refusals.length };
}

/** One refusal after so many accepted requests; a minute later many requests of 0.6 seconds beside one that hangs. */
export async function afterOneRefusal(accepted: number, { isOther = false } = {}) {
	const service = new LimitedService({ limit: Infinity, latencyMs: () => 300 });
	const { budget, clock } = service;
	await service.finish(service.read(accepted));
	const refused = await service.finish(service.enter());
	if (refused) budget.refuse(refused, SECOND_MS);
	await clock.pass(2 * SECOND_MS);
	await service.finish(service.read(1));
	await clock.pass(MINUTE_MS);

	void service.enter();
	const from = clock.now();
	const arrived = isOther
		? service.read(220, { queue: budget.others, isUnseen: true, concurrency: 220 })
		: service.read(60);
	return { tookMs: lastOf(await service.finish(arrived)) - from };
}

/** Others have used up the minute before a run of 60 sites. */
export async function usedUpMinute(settings: Partial<ServiceSettings> = {}) {
	const service = new LimitedService(settings);
	service.useUp(100);
	await service.clock.pass(SECOND_MS);
	const tookMs = lastOf(await service.finish(service.read(60)));
	return { tookMs, refusals: service.refusals.length };
}

/** Others send 150 requests a minute for a quarter of an hour, beside a run that goes on. */
export async function heavyUse(settings: Partial<ServiceSettings> = {}) {
	const USE_MS = 15 * MINUTE_MS;
	const service = new LimitedService({
		othersPerMinute: (at) => (at < USE_MS ? 150 : 0),
		...settings,
	});
	await service.clock.pass(SECOND_MS);
	void service.read(10_000);
	await service.clock.pass(2 * HOUR_MS);
	const times = service.ours.filter(({ isRefused }) => !isRefused).map(({ at }) => at);
	const full = times.find((at, index) => {
		const ninetyLater = times[index + 90] ?? Infinity;
		return at > USE_MS && ninetyLater - at < 62 * SECOND_MS;
	});
	return { fullAfterMs: (full ?? Infinity) - USE_MS, refusals: service.refusals.length };
}

/** Others send so many requests a minute for four hours, beside runs that go on: refusals and use of each hour. */
export async function constantUse(
	others: number,
	settings: Partial<ServiceSettings> = {},
	processes = 1,
) {
	const HOURS = 4;
	const service = new LimitedService({ othersPerMinute: () => others, ...settings });
	const from = 70 * SECOND_MS;
	await service.clock.pass(from);
	for (let process = 0; process < processes; process++) {
		void service.read(50_000, { budget: service.newProcess() });
	}
	await service.clock.pass(HOURS * HOUR_MS);
	const hours = Array.from({ length: HOURS }, (_, hour) =>
		service.ours.filter(
			({ at }) => at > from + hour * HOUR_MS && at <= from + (hour + 1) * HOUR_MS,
		),
	);
	const left = (service.settings.limit - others) * 60 * HOURS;
	const refusals = hours.map((hour) => hour.filter(({ isRefused }) => isRefused).length);
	const accepted = service.ours.filter(({ isRefused }) => !isRefused).length;
	return { refusals, used: accepted / left };
}
