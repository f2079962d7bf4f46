import { AsyncLocalStorage } from 'node:async_hooks';
import { TestEnvironment } from 'jest-environment-node';

const { getStore, run } = AsyncLocalStorage.prototype;

// Jest kills a worker that has not ended after half a second, and warns (jest-worker 30.5). Freeing its heap takes longer.
if (process.send) process.once('exit', () => process.exit());

export default class UnitEnvironment extends TestEnvironment {
	private stopTimers = () => {};

	override async setup(): Promise<void> {
		await super.setup();
		keepStoreInVariable();
		this.stopTimers = keepTimers(this.global as unknown as typeof globalThis);
	}

	override async teardown(): Promise<void> {
		Object.assign(AsyncLocalStorage.prototype, { getStore, run });
		this.stopTimers();
		await super.teardown();
	}
}

/** Returns what stops all that continues after its test, such as a login that has failed and is tried again. */
function keepTimers(global: typeof globalThis): () => void {
	const timers = new Set<NodeJS.Timeout>();
	let isOver = false;
	const { setTimeout: start } = global;
	const startAndKeep = (...given: Parameters<typeof setTimeout>) => {
		const timer = start(...given);
		if (isOver) timer.unref();
		else timers.add(timer);
		return timer;
	};
	Object.assign(global, { setTimeout: startAndKeep });
	return () => {
		isOver = true;
		for (const timer of timers) clearTimeout(timer);
	};
}

/**
 * Jest runs each test in an `AsyncLocalStorage`, to know it when an error has no handler (jest-circus 30.5). In Node.js 20, that
 * slows down all promises of the process. Tests run one after the other, so a variable will do.
 */
function keepStoreInVariable(): void {
	let current: unknown;
	AsyncLocalStorage.prototype.getStore = () => current;
	AsyncLocalStorage.prototype.run = (async (store: unknown, callback: () => unknown) => {
		const outer = current;
		current = store;
		try {
			return await callback();
		} finally {
			current = outer;
		}
	}) as never;
}
