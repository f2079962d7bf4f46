import { Budget, type Entry, type Place } from '../../../shared/budget/budget';
import { Lane } from '../../../shared/budget/lane';
import { MINUTE_MS } from '../../../shared/duration';
import { VirtualClock } from '../virtualClock';

/** One request, as the service has seen it. */
export interface Arrival {
	/** When the service has counted it. */
	at: number;
	isRefused: boolean;
	isPoll: boolean;
}

export interface ServiceSettings {
	/** How many requests the service takes in a minute. */
	limit: number;
	/** `Retry-After` of a refusal, in milliseconds; undefined for none. */
	retryAfterMs?: number | undefined;
	/** How long a request is on its way to the service, and its answer on the way back, in milliseconds. */
	latencyMs: () => number;
}

interface Load extends Entry {
	/** How many documents are read at once. */
	concurrency: number;
}

/** A service that keeps a limit, and an account's budget in front of it, on a clock of their own. */
export class LimitedService {
	readonly clock = new VirtualClock();

	readonly budget = new Budget(this.clock);

	readonly arrivals: Arrival[] = [];

	constructor(readonly settings: ServiceSettings) {}

	get refusals(): Arrival[] {
		return this.arrivals.filter(({ isRefused }) => isRefused);
	}

	/** Asks for a place, and waits for it unless another wait is given. */
	async enter(entry: Partial<Entry> = {}): Promise<Place | undefined> {
		const usual = { lane: new Lane(), requestsPerMinute: 100, maxWaitMs: Infinity };
		return await this.budget.enter({ ...usual, ...entry });
	}

	/**
	 * Reads as many documents, some at once, each until it has arrived.
	 *
	 * @returns when each has arrived; undefined for those that had no turn in time.
	 */
	async read(
		count: number,
		{ concurrency = 20, lane = new Lane(), ...entry }: Partial<Load> = {},
	): Promise<Array<number | undefined>> {
		const arrived: Array<number | undefined> = [];
		const queue = Array.from({ length: count }, (_, index) => index).values();
		const work = async () => {
			for (const index of queue) {
				let place: Place | undefined;
				do {
					place = await this.enter({ lane, ...entry });
				} while (place && !(await this.send(place, lane)));
				arrived[index] = place && this.clock.now();
			}
		};
		await Promise.all(Array.from({ length: concurrency }, work));
		return arrived;
	}

	/** The largest number of requests that the service has counted in any minute. */
	busiestMinute(arrivals = this.arrivals): number {
		const times = arrivals.map(({ at }) => at).sort((one, other) => one - other);
		return Math.max(
			0,
			...times.map((from, first) => {
				const end = times.findIndex((at) => at >= from + MINUTE_MS);
				return (end === -1 ? times.length : end) - first;
			}),
		);
	}

	/** @returns whether the request was taken. */
	private async send(place: Place, lane: Lane): Promise<boolean> {
		const { latencyMs, limit, retryAfterMs } = this.settings;
		await this.clock.sleep(latencyMs());
		const at = this.clock.now();
		const since = at - MINUTE_MS;
		const taken = this.arrivals.filter(
			(arrival) => !arrival.isRefused && arrival.at > since,
		).length;
		const isRefused = taken >= limit;
		this.arrivals.push({ at, isRefused, isPoll: lane.isPoll });
		await this.clock.sleep(latencyMs());
		if (isRefused) place.refuse(retryAfterMs);
		else place.accept();
		return !isRefused;
	}
}
