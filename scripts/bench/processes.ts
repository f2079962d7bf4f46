import { spawn, spawnSync, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { availableParallelism } from 'node:os';

const running = new Set<ChildProcess>();

/** The cores to which processes are pinned: what is measured and what serves it must not share one. */
export const CORES = { measured: 0, service: 1 } as const;

/** Whether processes can be pinned to a core on this machine. */
export const canPin =
	availableParallelism() > 1 && spawnSync('taskset', ['--version']).error === undefined;

/** Starts a process that `endAll` ends together with those that it starts itself. */
export function launch(
	core: keyof typeof CORES,
	command: string,
	parameters: readonly string[],
	options: SpawnOptions,
): ChildProcess {
	const pin = canPin ? ['taskset', '--cpu-list', String(CORES[core])] : [];
	const [program = command, ...rest] = [...pin, command, ...parameters];
	const child = spawn(program, rest, { ...options, detached: true });
	running.add(child);
	child.once('close', () => running.delete(child));
	return child;
}

/** Ends all processes that were launched. */
export function endAll(): void {
	for (const { pid } of running) {
		try {
			if (pid !== undefined) process.kill(-pid, 'SIGKILL');
		} catch {
			// It has ended by itself.
		}
	}
}

/** A process was ended by a fault of its own, such as SIGSEGV, instead of ending itself. */
class Crash extends Error {}

/**
 * Waits for the end of a process.
 *
 * @throws Crash where it has crashed, Error where it has failed or was ended by `endAll`.
 */
export async function ended(child: ChildProcess): Promise<void> {
	const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>(
		(resolve, reject) => {
			child.once('error', reject).once('close', (...end) => resolve(end));
		},
	);
	if (signal === 'SIGKILL') throw new Error('was ended');
	if (signal) throw new Crash(`crashed with ${signal}`);
	if (code !== 0) throw new Error(`ended with status ${String(code)}`);
}

/** Makes a run anew whose process has crashed, as that of n8n does now and then: it tells nothing of a contestant. */
export async function unlessCrashed<T>(
	run: () => Promise<T>,
	tell: (line: string) => void,
	triesLeft = 2,
): Promise<T> {
	try {
		return await run();
	} catch (error) {
		if (!(error instanceof Crash) || triesLeft === 0) throw error;
		tell(`Once more: ${error.message}`);
		return await unlessCrashed(run, tell, triesLeft - 1);
	}
}
