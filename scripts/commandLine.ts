import { parseArgs, type ParseArgsConfig } from 'node:util';

/** Ends a command with a sentence instead of a stack. */
export class UsageFailure extends Error {}

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

/** @throws UsageFailure where the typed value is no whole number in these bounds. */
export function readNumber(name: string, typed: string, smallest: number, largest: number): number {
	const value = Number(typed);
	if (/^\d+$/.test(typed) && value >= smallest && value <= largest) return value;
	throw new UsageFailure(`--${name} must be a whole number from ${smallest} to ${largest}`);
}
