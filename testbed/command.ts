import path from 'node:path';
import type { SpawnOptions } from 'node:child_process';
import { x, type Result } from 'tinyexec';
import { until } from './wait';

const ROOT = path.resolve(__dirname, '..');

/** npm finishes what it is unpacking first, which may take minutes. */
const KILL_AFTER_MS = 3000;

export interface CommandSettings extends Pick<SpawnOptions, 'cwd' | 'uid' | 'gid'> {
	/** Added to the environment of this process. */
	env?: NodeJS.ProcessEnv;
	/** Captures the output instead of showing it. */
	quiet?: boolean;
	/** Counts as success. */
	toleratedSignal?: NodeJS.Signals;
	/** Terminates the command, and whatever it has started, when it aborts; kills what is left three seconds later. */
	signal?: AbortSignal | undefined;
}

/**
 * Runs a command, and kills it if this process exits first.
 *
 * @returns its standard output if it is quiet.
 * @throws Error with the end of its output if it fails or does not exist.
 */
export async function run(
	command: string,
	parameters: readonly string[],
	{ quiet = false, toleratedSignal, signal, ...settings }: CommandSettings = {},
): Promise<string> {
	signal?.throwIfAborted();
	const output = quiet ? 'pipe' : 'inherit';
	const child = x(command, parameters, {
		// Use Node.js and npm of the environment, not the ones that run this.
		nodePath: false,
		nodeOptions: {
			...settings,
			detached: signal !== undefined,
			killSignal: 'SIGKILL',
			stdio: ['ignore', output, output],
		},
	});
	const kill = () => (signal ? signalGroup(child, 'SIGKILL') : child.kill('SIGKILL'));
	let killTimer: NodeJS.Timeout | undefined;
	const terminate = () => {
		// A compiler deletes its temporary files when it is terminated, but not when it is killed.
		signalGroup(child, 'SIGTERM');
		killTimer = setTimeout(kill, KILL_AFTER_MS);
	};
	process.once('exit', kill);
	signal?.addEventListener('abort', terminate);
	try {
		const { stdout, stderr } = await child;
		const { exitCode, signalCode } = child;
		if (exitCode === 0 || signalCode === toleratedSignal) return stdout;
		const line = [command, ...parameters].join(' ');
		const lastLines = (stdout + stderr).slice(-4000);
		const how = signalCode ?? `status ${exitCode}`;
		throw new Error(`"${line}" ended with ${how}\n${lastLines}`.trimEnd());
	} finally {
		clearTimeout(killTimer);
		process.off('exit', kill);
		signal?.removeEventListener('abort', terminate);
	}
}

/** Sends a signal to a detached command and whatever it has started. @returns false if all have ended. */
function signalGroup({ pid = NaN }: Result, signal: NodeJS.Signals | 0): boolean {
	try {
		return process.kill(-pid, signal);
	} catch {
		return false;
	}
}

/** Starts a script of the repository, as npm does. */
export function startScript(
	script: string,
	parameters: readonly string[] = [],
	env: NodeJS.ProcessEnv = {},
): Result {
	const words = ['--import', 'tsx', script, ...parameters];
	return x('node', words, { nodePath: false, nodeOptions: { cwd: ROOT, env } });
}

/** A script whose output goes through a pipe, as in `npm start 2>&1 | tee log`, in a process group as of a terminal. */
export class PipedScript {
	/** The lines that came through the pipe. */
	printed = '';

	private readonly pipeline: Result;

	private readonly reading: Promise<void>;

	constructor(script: string, parameters: readonly string[], env: NodeJS.ProcessEnv = {}) {
		const command = `node --import tsx ${script} ${parameters.join(' ')} 2>&1 | cat`;
		this.pipeline = x('sh', ['-c', command], { nodeOptions: { cwd: ROOT, env, detached: true } });
		this.reading = this.read();
	}

	/** Sends a signal to script and reader alike, and waits until both have ended. */
	async interrupt(signal: NodeJS.Signals): Promise<void> {
		signalGroup(this.pipeline, signal);
		await this.reading;
		await until(() => !signalGroup(this.pipeline, 0));
	}

	private async read(): Promise<void> {
		for await (const line of this.pipeline) this.printed += `${line}\n`;
	}
}

/** Tells whether a process has ended, by itself or by a signal. */
export function hasExited(process: Result | undefined): boolean {
	return process?.exitCode !== undefined || process?.signalCode != null;
}
