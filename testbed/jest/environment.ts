import { constants } from 'node:os';
import { TestEnvironment } from 'jest-environment-node';

declare global {
	/** Has something ended when jest is interrupted, or when the tests of the file are over. */
	function endWithTests(end: () => Promise<void>): void;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Leaves nothing of what tests have started, also when jest is interrupted: tests themselves hear of no signal. */
export default class LeavesNothing extends TestEnvironment {
	private readonly endings: Array<() => Promise<void>> = [];

	private readonly interrupt = (signal: NodeJS.Signals) =>
		void this.end().finally(() => process.exit(128 + constants.signals[signal]));

	override async setup(): Promise<void> {
		await super.setup();
		this.global.endWithTests = (end) => this.endings.push(end);
		for (const signal of SIGNALS) process.on(signal, this.interrupt);
	}

	override async teardown(): Promise<void> {
		await this.end();
		for (const signal of SIGNALS) process.off(signal, this.interrupt);
		await super.teardown();
	}

	private async end(): Promise<void> {
		await Promise.allSettled(this.endings.map(async (end) => await end()));
	}
}
