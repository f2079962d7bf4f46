import { MINUTE_MS, type Clock } from '../utils/time';

const REMEMBERED_MS = 5 * MINUTE_MS;

/**
 * Documents that the service has answered with 401 although another token was sent: the account may not read them. They are remembered
 * for five minutes.
 */
export class UnauthorizedDocuments {
	/** Until when each is remembered, by path, the first one to forget first. */
	private readonly until = new Map<string, number>();

	constructor(private readonly clock: Clock) {}

	add(path: string): void {
		// A Map keeps the order of insertion.
		this.until.delete(path);
		this.until.set(path, this.clock.now() + REMEMBERED_MS);
	}

	remove(path: string): void {
		this.until.delete(path);
	}

	has(path: string): boolean {
		for (const [each, until] of this.until) {
			if (this.clock.now() < until) break;
			this.until.delete(each);
		}
		return this.until.has(path);
	}
}
