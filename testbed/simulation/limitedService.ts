import { RateLimiter } from '../../nodes/Aquaculture/limit/rateLimiter';
import { Queue, type QueueOwner, type Slot } from '../../nodes/Aquaculture/limit/queue';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../nodes/Aquaculture/utils/time';
import { VirtualClock } from './virtualClock';

export interface Arrival {
	at: number;
	isRefused: boolean;
	/** False for requests of other programs. */
	isOurs: boolean;
}

export interface ServiceSettings {
	/** Requests per minute. */
	number: number;
	/** Uses a fixed window instead of a sliding one. */
	hasFixedMinutes: boolean;
	countsRefused: boolean;
	/** `Retry-After` of a refusal in milliseconds; undefined for none. */
	retryAfterMs: number | undefined;
	/** One way. */
	latencyMs: number;
	/** Evenly spread requests of other programs. */
	othersPerMinute(at: number): number;
}

const DEFAULTS: ServiceSettings = {
	number: 100,
	hasFixedMinutes: false,
	countsRefused: false,
	retryAfterMs: undefined,
	latencyMs: 25,
	othersPerMinute: () => 0,
};

interface Reader {
	/** HTTP Request nodes send all requests at once, with unseen responses. */
	owner?: QueueOwner;
	/** What the credential allows. */
	requestsPerMinute?: number;
	limiter?: RateLimiter;
	/** By the virtual clock, in milliseconds. */
	deadline?: number;
}

/** Simulates a service with a rate limit, and clients that use the product's rate limiter, on one virtual clock. */
export class LimitedService {
	readonly clock = new VirtualClock();

	readonly limiter = new RateLimiter(this.clock);

	readonly arrivals: Arrival[] = [];

	private readonly settings: ServiceSettings;

	private nextOtherAt = 0;

	private counted: number[] = [];

	constructor(settings: Partial<ServiceSettings> = {}) {
		this.settings = { ...DEFAULTS, ...settings };
	}

	get ours(): Arrival[] {
		return this.arrivals.filter(({ isOurs }) => isOurs);
	}

	get refusals(): number {
		return this.ours.filter(({ isRefused }) => isRefused).length;
	}

	/**
	 * Reads documents like the node, 20 at once, and retries each until it arrives.
	 *
	 * @returns when the last one arrived; Infinity if one got no slot in time.
	 */
	async read(
		count: number,
		{ owner = 'execution', requestsPerMinute = 100, limiter = this.limiter, deadline }: Reader = {},
	): Promise<number> {
		const queue = new Queue(owner, requestsPerMinute);
		const isHttpNode = owner === 'httpNode';
		if (!isHttpNode) queue.announce(count);
		let left = count;
		let lastAt = 0;
		const work = async () => {
			while (left-- > 0) {
				let isRead: boolean | undefined = false;
				while (isRead === false) {
					const slot = await limiter.acquire({ queue, deadline });
					isRead = slot && (await this.send(slot, limiter));
				}
				lastAt = isRead ? Math.max(lastAt, this.clock.now()) : Infinity;
			}
		};
		await Promise.all(Array.from({ length: isHttpNode ? count : 20 }, work));
		return lastAt;
	}

	/** Advances time until a promise settles, a day at most. */
	async settle<T>(work: Promise<T>): Promise<T> {
		let isDone = false;
		const done = () => (isDone = true);
		work.then(done, done);
		while (!isDone && this.clock.now() < DAY_MS) await this.clock.advance(SECOND_MS);
		if (!isDone) throw new Error('The promise does not settle within a day');
		return await work;
	}

	/** Returns the most arrivals within any minute. */
	maxPerMinute(): number {
		let oldest = 0;
		const counts = this.arrivals.map(({ at }, index) => {
			while ((this.arrivals[oldest] as Arrival).at <= at - MINUTE_MS) oldest += 1;
			return index + 1 - oldest;
		});
		return Math.max(...counts);
	}

	/** Sends requests of other programs now. */
	exhaust(count: number): void {
		for (let sent = 0; sent < count; sent++) this.receive(this.clock.now(), false);
	}

	/** @returns whether the service accepts the request. */
	private async send(slot: Slot, limiter: RateLimiter): Promise<boolean> {
		const { latencyMs, retryAfterMs } = this.settings;
		await this.clock.sleep(latencyMs);
		const at = this.clock.now();
		this.sendOthers(at);
		const isAccepted = this.receive(at, true);
		await this.clock.sleep(latencyMs);
		if (slot.queue.owner === 'httpNode') {
			// As HttpNodeRequest does.
			void this.clock.sleep(2 * SECOND_MS).then(() => limiter.assumeAllowed(slot));
			return isAccepted;
		}
		if (isAccepted) limiter.recordAllowed(slot);
		else limiter.recordRefused(slot, retryAfterMs);
		return isAccepted;
	}

	/** @returns whether the service accepts the request. */
	private receive(at: number, isOurs: boolean): boolean {
		const { number, hasFixedMinutes, countsRefused } = this.settings;
		const since = hasFixedMinutes ? Math.floor(at / MINUTE_MS) * MINUTE_MS - 1 : at - MINUTE_MS;
		this.counted = this.counted.filter((time) => time > since);
		const isRefused = this.counted.length >= number;
		if (!isRefused || countsRefused) this.counted.push(at);
		this.arrivals.push({ at, isRefused, isOurs });
		return !isRefused;
	}

	/** Sends the requests of other programs that are due. */
	private sendOthers(now: number): void {
		for (; this.nextOtherAt <= now; ) {
			const perMinute = this.settings.othersPerMinute(this.nextOtherAt);
			if (perMinute > 0) this.receive(this.nextOtherAt, false);
			this.nextOtherAt += perMinute > 0 ? MINUTE_MS / perMinute : SECOND_MS;
		}
	}
}
