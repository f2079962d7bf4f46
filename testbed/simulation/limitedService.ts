import { Budget, type Entry } from '../../account/limit/budget';
import { Queue } from '../../account/limit/queue';
import type { Place } from '../../account/limit/queue';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../texts/duration';
import { VirtualClock } from './virtualClock';

/** One request, as the service has seen it. */
export interface Arrival {
	/** When the service has seen it, in milliseconds. */
	at: number;
	isRefused: boolean;
	/** Absent for those of somebody else. */
	queue?: Place['queue'];
}

export interface ServiceSettings {
	/** How many requests the service takes in a minute. */
	limit: number;
	/** Whether its minutes begin at full minutes, and not with each request. */
	hasFixedMinutes: boolean;
	/** Whether it counts what it refuses. */
	countsRefused: boolean;
	/** `Retry-After` of a refusal, in milliseconds; undefined for none. */
	retryAfterMs: number | undefined;
	/** How long a request is on its way to the service, and its answer on the way back, in milliseconds. */
	latencyMs: () => number;
	/** How many requests a minute somebody else sends at a time in milliseconds, evenly. */
	othersPerMinute: (at: number) => number;
}

const USUAL: ServiceSettings = {
	limit: 100,
	hasFixedMinutes: false,
	countsRefused: false,
	retryAfterMs: undefined,
	latencyMs: () => 25,
	othersPerMinute: () => 0,
};

/** A service that keeps a limit, and the budgets of the processes that use one account of it, on a clock of their own. */
export class LimitedService {
	readonly clock = new VirtualClock();

	/** That of the first process. */
	readonly budget = this.newProcess();

	/** Those of this account, in the order in which they came. */
	readonly arrivals: Arrival[] = [];

	readonly settings: ServiceSettings;

	private nextOtherAt = 0;

	private counted: number[] = [];

	constructor(settings: Partial<ServiceSettings> = {}) {
		this.settings = { ...USUAL, ...settings };
	}

	/** The budget of one more process. */
	newProcess(requestsPerMinute = 100): Budget {
		const budget = new Budget(this.clock);
		budget.requestsPerMinute = requestsPerMinute;
		return budget;
	}

	/** Those that were not sent by somebody else. */
	get ours(): Arrival[] {
		return this.arrivals.filter(({ queue }) => queue);
	}

	/** Those of ours that were refused. */
	get refusals(): Arrival[] {
		return this.ours.filter(({ isRefused }) => isRefused);
	}

	/** Asks for a place, and waits for it. */
	async enter(entry: Partial<Entry> = {}, budget = this.budget): Promise<Place | undefined> {
		return await budget.enter({ queue: new Queue(), ...entry });
	}

	/**
	 * Reads as many documents, by default as many at once as the node does, each until it has arrived.
	 *
	 * @returns when each has arrived; undefined for those that had no place in time.
	 */
	async read(
		count: number,
		{
			queue = new Queue({ planned: count }),
			budget = this.budget,
			concurrency = 20,
			...entry
		}: Partial<Entry & { concurrency: number; budget: Budget }> = {},
	): Promise<Array<number | undefined>> {
		const arrived: Array<number | undefined> = Array.from({ length: count });
		const left = arrived.keys();
		const work = async () => {
			for (const index of left) {
				let place: Place | undefined;
				do {
					place = await budget.enter({ queue, ...entry });
				} while (place && !(await this.send(place, budget)));
				arrived[index] = place && this.clock.now();
			}
		};
		await Promise.all(Array.from({ length: concurrency }, work));
		return arrived;
	}

	/** Lets time pass until a work is done, a day at most. */
	async finish<T>(work: Promise<T>): Promise<T> {
		let isDone = false;
		const done = () => (isDone = true);
		work.then(done, done);
		const endsAt = this.clock.now() + 24 * HOUR_MS;
		while (!isDone && this.clock.now() < endsAt) await this.clock.pass(SECOND_MS);
		if (!isDone) throw new Error('It is not done in a day');
		return await work;
	}

	/** The largest number of requests that the service has seen in any minute. */
	busiestMinute(arrivals = this.arrivals): number {
		let first = 0;
		let most = 0;
		for (const [index, { at }] of arrivals.entries()) {
			while ((arrivals[first]?.at ?? at) <= at - MINUTE_MS) first += 1;
			most = Math.max(most, index + 1 - first);
		}
		return most;
	}

	/** @returns whether the request was taken. */
	async send(place: Place, budget = this.budget): Promise<boolean> {
		const { latencyMs, retryAfterMs } = this.settings;
		await this.clock.sleep(latencyMs());
		const at = this.clock.now();
		this.sendOthers(at);
		const { isRefused } = this.receive({ at, queue: place.queue });
		await this.clock.sleep(latencyMs());
		if (place.isUnseen) return !isRefused;
		if (isRefused) budget.refuse(place, retryAfterMs);
		else budget.accept(place);
		return !isRefused;
	}

	/** Somebody else sends so many requests now. */
	useUp(count: number): void {
		for (let sent = 0; sent < count; sent++) this.receive({ at: this.clock.now() });
	}

	private receive({ at, queue }: Pick<Arrival, 'at' | 'queue'>): Arrival {
		const { limit, hasFixedMinutes, countsRefused } = this.settings;
		const since = hasFixedMinutes ? Math.floor(at / MINUTE_MS) * MINUTE_MS : at - MINUTE_MS;
		this.counted = this.counted.filter((time) => (hasFixedMinutes ? time >= since : time > since));
		const isRefused = this.counted.length >= limit;
		if (!isRefused || countsRefused) this.counted.push(at);
		const arrival = { at, isRefused, ...(queue && { queue }) };
		this.arrivals.push(arrival);
		return arrival;
	}

	/** What somebody else has sent up to now. */
	private sendOthers(now: number): void {
		while (this.nextOtherAt <= now) {
			const at = this.nextOtherAt;
			const perMinute = this.settings.othersPerMinute(at);
			if (perMinute > 0) this.receive({ at });
			this.nextOtherAt += perMinute > 0 ? MINUTE_MS / perMinute : SECOND_MS;
		}
	}
}
