import { parseArgs, type ParseArgsConfig } from 'node:util';
import { UserFacingError } from '../testbed/userFacingError';
import { Cleanup } from '../testbed/cleanup';
import { say } from '../testbed/progress';
import { getFreePort, isFree } from '../testbed/wait';

/** The command prints its usage too. */
export class UsageError extends UserFacingError {}

/**
 * Runs a command and then its cleanup, also after an interruption. An error ends it with status 1.
 *
 * @param usage printed below a {@link UsageError}, and for `--help`.
 * @param interruptedStatus 0 for a command that runs until it is interrupted.
 */
export function command(
	main: (cleanup: Cleanup) => Promise<void>,
	usage = '',
	interruptedStatus = 1,
): void {
	if (usage && process.argv.includes('--help')) {
		console.log(usage);
		return;
	}
	const fail = (error: unknown) => {
		const { message, stack } = error as Error;
		console.error(`✗ ${error instanceof UserFacingError ? message : stack}`);
		if (error instanceof UsageError) console.error(`\n${usage}`);
		process.exitCode = 1;
	};
	const interruption = new Promise<void>((resolve) => {
		const interrupt = () => {
			process.exitCode = interruptedStatus;
			resolve();
		};
		for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
			process.once(signal, () => say(`Ending, interrupted by ${signal}`));
			// npm passes on a signal that the terminal has sent to all: the second one must not end the cleanup.
			process.on(signal, interrupt);
		}
		// The reader of a pipe may end first, as Ctrl-C ends both commands of `npm start | tee log`.
		for (const output of [process.stdout, process.stderr]) output.on('error', interrupt);
	});
	const cleanup = new Cleanup();
	void Promise.race([main(cleanup), interruption])
		.catch(fail)
		.then(async () => await cleanup.run())
		.catch(fail)
		// After an interruption, the command may still be running.
		.finally(() => process.exit());
}

/** @throws UsageError for unknown options. */
export function readOptions<T extends NonNullable<ParseArgsConfig['options']>>(options: T) {
	try {
		return parseArgs({ options }).values;
	} catch (error) {
		throw new UsageError((error as Error).message);
	}
}

/** @throws UsageError unless the input is a whole number from min to max. */
export function readNumber(name: string, input: string, min: number, max: number): number {
	const value = Number(input);
	if (/^\d+$/.test(input) && value >= min && value <= max) return value;
	throw new UsageError(`--${name} must be a whole number from ${min} to ${max}`);
}

/** Reads a port on loopback for a script such as `npm start`. @throws UsageError if it is taken, or blocked by browsers. */
export async function readPort(script: string, input: string): Promise<number> {
	const port = readNumber('port', input, 1024, 65_535);
	const isTaken = !(await isFree(port));
	if (!isTaken && !(await isBlocked(port))) return port;
	const why = isTaken ? 'is taken' : 'is blocked by browsers';
	const other = `${script} -- --port ${await getFreePort()}`;
	throw new UsageError(`Port ${port} ${why}. Choose another one: ${other}`);
}

/** Tells whether a port is one of those that browsers and Node.js block (https://fetch.spec.whatwg.org/#port-blocking). */
async function isBlocked(port: number): Promise<boolean> {
	const getCause = ({ cause }: { cause: Error }) => cause.message;
	return (await fetch(`http://127.0.0.1:${port}`).catch(getCause)) === 'bad port';
}
