import { parseArgs, type ParseArgsConfig } from 'node:util';
import { Failure } from '../testbed/failure';

/** Something is wrong with what was typed: the command prints its usage too. */
export class UsageFailure extends Failure {}

/**
 * Runs a command. What it throws ends it with status 1: a {@link Failure} with its sentence, anything else with its stack.
 *
 * @param usage is printed below the sentence of a {@link UsageFailure}.
 */
export function command(main: () => Promise<void>, usage = ''): void {
	main().catch((thrown: unknown) => {
		const failure: unknown = interruption.signal.aborted ? interruption.signal.reason : thrown;
		console.error(`✗ ${describe(failure)}`);
		if (failure instanceof UsageFailure) console.error(`\n${usage}`);
		process.exitCode = 1;
	});
}

function describe(failure: unknown): string | undefined {
	if (failure instanceof Failure) return failure.message;
	return failure instanceof Error ? failure.stack : String(failure);
}

/** Says what the command does now, beside its results. */
export function say(line: string): void {
	console.error(`• ${line}`);
}

const interruption = new AbortController();

/** Aborts when the command is asked to end, by Ctrl-C for instance; from this call on it has to end by itself. */
export function interrupted(): AbortSignal {
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
		process.on(signal, () => interruption.abort(new Failure(`Interrupted by ${signal}`)));
	}
	return interruption.signal;
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
export function readNumber(name: string, typed: string, smallest: number, largest: number): number {
	const value = Number(typed);
	if (/^\d+$/.test(typed) && value >= smallest && value <= largest) return value;
	throw new UsageFailure(`--${name} must be a whole number from ${smallest} to ${largest}`);
}
