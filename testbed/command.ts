import path from 'node:path';
import type { SpawnOptions } from 'node:child_process';
import { x, type Result } from 'tinyexec';

const ROOT = path.resolve(__dirname, '..');

/** How a command runs. Its environment is added to that of this process. */
interface CommandSettings extends Pick<SpawnOptions, 'cwd' | 'env' | 'uid' | 'gid'> {
	/** Returns what it prints instead of showing it. */
	quiet?: boolean;
	/** By what a command may be ended that has done its work. */
	toleratedSignal?: NodeJS.Signals;
}

/**
 * Runs a command to its end, or to that of this process.
 *
 * @returns what it printed on standard output if it is quiet, else an empty text.
 * @throws Error with the end of its output, for a command that does not exist or fails.
 */
export async function run(
	command: string,
	parameters: readonly string[],
	{ quiet = false, toleratedSignal, ...settings }: CommandSettings = {},
): Promise<string> {
	const output = quiet ? 'pipe' : 'inherit';
	const child = x(command, parameters, {
		// Node.js and npm are to be those of the environment, not those that run this.
		nodePath: false,
		nodeOptions: { ...settings, killSignal: 'SIGKILL', stdio: ['ignore', output, output] },
	});
	const kill = () => child.kill('SIGKILL');
	process.once('exit', kill);
	try {
		const { stdout, stderr } = await child;
		const { exitCode, signalCode } = child;
		if (exitCode === 0 || signalCode === toleratedSignal) return stdout;
		const line = [command, ...parameters].join(' ');
		const end = (stdout + stderr).slice(-4000);
		const how = signalCode ?? `status ${exitCode}`;
		throw new Error(`"${line}" ended with ${how}\n${end}`.trimEnd());
	} finally {
		process.off('exit', kill);
	}
}

/** Starts a script of the repository as npm does. */
export function startScript(
	script: string,
	parameters: readonly string[] = [],
	env: NodeJS.ProcessEnv = {},
): Result {
	return x('node', ['--import', 'tsx', script, ...parameters], { nodeOptions: { cwd: ROOT, env } });
}

/** A process that goes on beside this one. An async function cannot return a `Result`: it would wait for its end. */
export class Background {
	private readonly child: Result;

	constructor(command: string, parameters: readonly string[], settings: SpawnOptions) {
		this.child = x(command, parameters, { nodePath: false, nodeOptions: settings });
	}

	/** Whether the process is gone, by itself or by a signal. */
	get hasEnded(): boolean {
		return this.child.exitCode !== undefined || this.child.signalCode !== null;
	}

	/** Fulfilled once the process is gone, whoever has ended it. */
	async ended(): Promise<void> {
		await this.child;
	}

	/** Ends the process and waits until it is gone. */
	async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
		this.child.kill(signal);
		await this.child;
	}
}
