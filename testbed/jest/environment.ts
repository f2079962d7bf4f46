import { constants } from 'node:os';
import { TestEnvironment } from 'jest-environment-node';

declare global {
	/** Registers what to do when the tests of the file are over or jest is interrupted, of which tests hear nothing. */
	function onTeardown(hook: () => Promise<void>): void;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export default class CleanupEnvironment extends TestEnvironment {
	private readonly hooks: Array<() => Promise<void>> = [];

	private readonly interrupt = (signal: NodeJS.Signals) =>
		void this.runHooks().finally(() => process.exit(128 + constants.signals[signal]));

	override async setup(): Promise<void> {
		await super.setup();
		this.global.onTeardown = (hook) => this.hooks.push(hook);
		for (const signal of SIGNALS) process.on(signal, this.interrupt);
	}

	override async teardown(): Promise<void> {
		await this.runHooks();
		for (const signal of SIGNALS) process.off(signal, this.interrupt);
		await super.teardown();
	}

	private async runHooks(): Promise<void> {
		await Promise.allSettled(this.hooks.map(async (hook) => await hook()));
	}
}
