import { spawn } from 'node:child_process';

/** How a command runs; everything that it prints is shown unless `quiet`. */
interface CommandSettings {
	cwd?: string;
	env?: NodeJS.ProcessEnv;
	quiet?: boolean;
	/** The user and the group that it runs as. */
	uid?: number;
	gid?: number;
	/** Ends it at once. */
	signal?: AbortSignal;
}

/**
 * Runs a command to its end, or to that of this process.
 *
 * @returns what it printed on standard output where it is quiet, else an empty text.
 * @throws Error with the end of its output, for a command that does not exist or fails.
 */
export async function run(
	command: string,
	parameters: readonly string[],
	{ env, quiet = false, ...settings }: CommandSettings = {},
): Promise<string> {
	const child = spawn(command, parameters, {
		...settings,
		killSignal: 'SIGKILL',
		env: { ...process.env, ...env },
		stdio: ['ignore', quiet ? 'pipe' : 'inherit', quiet ? 'pipe' : 'inherit'],
	});
	let out = '';
	let everything = '';
	child.stdout?.on('data', (text) => {
		out += String(text);
		everything += String(text);
	});
	child.stderr?.on('data', (text) => (everything += String(text)));
	const kill = () => child.kill();
	process.once('exit', kill);
	const code = await new Promise<number | null>((resolve, reject) => {
		child.once('error', reject).once('close', resolve);
	}).finally(() => process.off('exit', kill));
	if (code === 0) return out;
	const line = [command, ...parameters].join(' ');
	throw new Error(`"${line}" ended with status ${code}\n${everything.slice(-4000)}`.trimEnd());
}
