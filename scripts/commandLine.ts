import { parseArgs, type ParseArgsConfig } from 'node:util';
import { Failure } from '../testbed/failure';
import { Stage } from '../testbed/stage';

/** Something is wrong with what was typed: the command prints its usage too. */
export class UsageFailure extends Failure {}

/**
 * Runs a command, and ends what it has put on the stage, also if it is interrupted. What it throws ends it with status 1:
 * a {@link Failure} with its sentence, anything else with its stack.
 *
 * @param usage is printed below the sentence of a {@link UsageFailure}.
 * @param interruptedStatus is 0 for a command that goes on until it is interrupted.
 */
export function command(
	main: (stage: Stage) => Promise<void>,
	usage = '',
	interruptedStatus = 1,
): void {
	const fail = (failure: unknown) => {
		console.error(`✗ ${describe(failure)}`);
		if (failure instanceof UsageFailure) console.error(`\n${usage}`);
		process.exitCode = 1;
	};
	const interruption = new Promise<void>((resolve) => {
		for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
			process.once(signal, () => {
				say(`Ending, interrupted by ${signal}`);
				process.exitCode = interruptedStatus;
				resolve();
			});
		}
	});
	const stage = new Stage();
	void Promise.race([main(stage), interruption])
		.catch(fail)
		.then(async () => await stage.end())
		.catch(fail)
		// What was interrupted may still be under way.
		.finally(() => process.exit());
}

function describe(failure: unknown): string | undefined {
	if (failure instanceof Failure) return failure.message;
	return failure instanceof Error ? failure.stack : String(failure);
}

/** Says what the command does now, beside its results. */
export function say(line: string): void {
	console.error(`• ${line}`);
}

/**
 * The options that a command was called with.
 *
 * @throws UsageFailure for options that it does not have.
 */
export function readOptions<T extends NonNullable<ParseArgsConfig['options']>>(options: T) {
	try {
		return parseArgs({ options }).values;
	} catch (error) {
		throw new UsageFailure((error as Error).message);
	}
}

/** @throws UsageFailure if the typed value is no whole number in these bounds. */
export function readNumber(name: string, input: string, smallest: number, largest: number): number {
	const value = Number(input);
	if (/^\d+$/.test(input) && value >= smallest && value <= largest) return value;
	throw new UsageFailure(`--${name} must be a whole number from ${smallest} to ${largest}`);
}
