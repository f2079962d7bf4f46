import { AsyncLocalStorage } from 'node:async_hooks';
import { TestEnvironment } from 'jest-environment-node';

type Storage = AsyncLocalStorage<unknown>;

const { run } = AsyncLocalStorage.prototype;

// Jest kills a worker that has not ended after half a second, and warns (jest-worker 30.5). Freeing its heap takes longer.
if (process.send) process.once('exit', () => process.exit());

/**
 * Disables the storages that a test file has used: Jest creates one per file (jest-circus 30.5), and in Node.js 20 each slows
 * down all later promises of the process.
 */
export default class UnitEnvironment extends TestEnvironment {
	private readonly storages = new Set<Storage>();

	override async setup(): Promise<void> {
		await super.setup();
		const { storages } = this;
		AsyncLocalStorage.prototype.run = function (this: Storage, ...given: Parameters<typeof run>) {
			storages.add(this);
			return run.apply(this, given);
		} as typeof run;
	}

	override async teardown(): Promise<void> {
		AsyncLocalStorage.prototype.run = run;
		for (const storage of this.storages) storage.disable();
		await super.teardown();
	}
}
