import { RateLimiter } from '../../nodes/Aquaculture/limit/rateLimiter';
import { Queue, type Slot, type QueueKind } from '../../nodes/Aquaculture/limit/queue';
import { VirtualClock } from './virtualClock';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** One request, as the service has seen it. */
export interface Arrival {
	at: number;
	isRefused: boolean;
	/** Whether it is of this account's user, and not of another program. */
	isOurs: boolean;
}

export interface ServiceSettings {
	/** How many requests the service takes in a minute. */
	number: number;
	/** Whether its minutes begin at full minutes, and not with each request. */
	hasFixedMinutes: boolean;
	/** Whether it counts what it refuses. */
	countsRefused: boolean;
	/** `Retry-After` of a refusal, in milliseconds; undefined for none. */
	retryAfterMs: number | undefined;
	/** How long a request is on its way to the service, and its answer on the way back, in milliseconds. */
	latencyMs: number;
	/** How many requests a minute other programs send at a time in milliseconds, evenly. */
	othersPerMinute(at: number): number;
}

const USUAL: ServiceSettings = {
	number: 100,
	hasFixedMinutes: false,
	countsRefused: false,
	retryAfterMs: undefined,
	latencyMs: 25,
	othersPerMinute: () => 0,
};

/** Whose documents are read, and how. */
interface Reader {
	kind?: QueueKind;
	limiter?: RateLimiter;
	/** Until when requests may wait, by the clock of the simulation. */
	deadline?: number;
	/** Whether HTTP Request nodes send them: all at once, with unseen responses. */
	isOther?: boolean;
}

/** A service that takes some requests a minute, and processes that send them with the product's rate limiter, on one clock. */
export class LimitedService {
	readonly clock = new VirtualClock();

	readonly limiter = new RateLimiter(this.clock);

	readonly arrivals: Arrival[] = [];

	private readonly settings: ServiceSettings;

	private nextOtherAt = 0;

	private counted: number[] = [];

	constructor(settings: Partial<ServiceSettings> = {}) {
		this.settings = { ...USUAL, ...settings };
	}

	get ours(): Arrival[] {
		return this.arrivals.filter(({ isOurs }) => isOurs);
	}

	get refusals(): number {
		return this.ours.filter(({ isRefused }) => isRefused).length;
	}

	/**
	 * Reads documents as the node does, 20 at once, each until it has arrived.
	 *
	 * @returns when the last one has arrived; Infinity if one got no slot in time.
	 */
	async read(
		count: number,
		{ kind = 'execution', limiter = this.limiter, deadline, isOther = false }: Reader = {},
	): Promise<number> {
		const queue = isOther ? limiter.httpNodeQueue(100) : new Queue(kind, 100);
		if (!isOther) queue.remaining = count;
		let left = count;
		let lastAt = 0;
		const work = async () => {
			while (left-- > 0) {
				let isRead: boolean | undefined = false;
				while (isRead === false) {
					const slot = await limiter.acquire({ queue, deadline, isUnreported: isOther });
					isRead = slot && (await this.send(slot, limiter, isOther));
				}
				lastAt = isRead ? Math.max(lastAt, this.clock.now()) : Infinity;
			}
		};
		await Promise.all(Array.from({ length: isOther ? count : 20 }, work));
		return lastAt;
	}

	/** Lets time pass until a work is done, a day at most. */
	async finish<T>(work: Promise<T>): Promise<T> {
		let isDone = false;
		const done = () => (isDone = true);
		work.then(done, done);
		while (!isDone && this.clock.now() < DAY_MS) await this.clock.pass(SECOND_MS);
		if (!isDone) throw new Error('It is not done in a day');
		return await work;
	}

	/** The largest number of requests that the service has seen in any minute. */
	busiestMinute(): number {
		const times = this.arrivals.map(({ at }) => at);
		return Math.max(
			...times.map(
				(from, index) => times.filter((at, i) => i >= index && at < from + MINUTE_MS).length,
			),
		);
	}

	/** Other programs send so many requests now. */
	useUp(count: number): void {
		for (let sent = 0; sent < count; sent++) this.receive(this.clock.now(), false);
	}

	/** @returns whether the request was taken. */
	private async send(slot: Slot, limiter: RateLimiter, isUnseen: boolean): Promise<boolean> {
		const { latencyMs, retryAfterMs } = this.settings;
		await this.clock.sleep(latencyMs);
		const at = this.clock.now();
		this.sendOthers(at);
		const isTaken = this.receive(at, true);
		await this.clock.sleep(latencyMs);
		if (isUnseen) return isTaken;
		if (isTaken) limiter.reportAccepted(slot);
		else limiter.reportRateLimited(slot, retryAfterMs);
		return isTaken;
	}

	/** @returns whether the service takes a request. */
	private receive(at: number, isOurs: boolean): boolean {
		const { number, hasFixedMinutes, countsRefused } = this.settings;
		const since = hasFixedMinutes ? Math.floor(at / MINUTE_MS) * MINUTE_MS - 1 : at - MINUTE_MS;
		this.counted = this.counted.filter((time) => time > since);
		const isRefused = this.counted.length >= number;
		if (!isRefused || countsRefused) this.counted.push(at);
		this.arrivals.push({ at, isRefused, isOurs });
		return !isRefused;
	}

	/** What other programs have sent up to now. */
	private sendOthers(now: number): void {
		for (; this.nextOtherAt <= now; ) {
			const perMinute = this.settings.othersPerMinute(this.nextOtherAt);
			if (perMinute > 0) this.receive(this.nextOtherAt, false);
			this.nextOtherAt += perMinute > 0 ? MINUTE_MS / perMinute : SECOND_MS;
		}
	}
}
