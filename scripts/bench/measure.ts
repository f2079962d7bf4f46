import { closeSync, openSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { USAGE_FILE, type Usage } from './probe.mjs';
import { ended, launch } from './processes';

/** A program for Node.js as it is started. */
export interface Program {
	/** The Node.js that runs it. */
	command: string;
	/** The script and what it is given. */
	parameters: readonly string[];
	env?: NodeJS.ProcessEnv;
	/** What it reads on standard input. */
	input?: string;
}

/** What a program has used and printed. */
export interface Measured extends Usage {
	/** From its start to its end. */
	processSeconds: number;
	output: string;
}

const PROBE = path.join(__dirname, 'probe.mts');

/**
 * Runs a program to its end in a process of its own.
 *
 * @param directory for what it reads and writes.
 * @param nodeOptions options for Node.js.
 * @throws Crash or Error with what it has printed on standard error.
 */
export async function measure(
	{ command, parameters, env = process.env, input = '' }: Program,
	directory: string,
	nodeOptions: readonly string[] = [],
): Promise<Measured> {
	const file = (name: string) => path.join(directory, `bench.${name}`);
	await writeFile(file('input'), input);
	await rm(file('usage'), { force: true });
	// Files instead of pipes, so that nobody has to read while the clock runs.
	const stdio = [
		openSync(file('input'), 'r'),
		openSync(file('output'), 'w'),
		openSync(file('errors'), 'w'),
	];
	const begin = performance.now();
	try {
		const options = { env: { ...env, [USAGE_FILE]: file('usage') }, stdio };
		const all = ['--require', PROBE, ...nodeOptions, ...parameters];
		await ended(launch('measured', command, all, options));
	} catch (error) {
		const errors = await readFile(file('errors'), 'utf8');
		(error as Error).message = `"${parameters.join(' ')}" ${(error as Error).message}\n${errors}`;
		throw error;
	} finally {
		stdio.forEach(closeSync);
	}
	const processSeconds = (performance.now() - begin) / 1000;
	const usage = JSON.parse(await readFile(file('usage'), 'utf8')) as Usage;
	return { ...usage, processSeconds, output: await readFile(file('output'), 'utf8') };
}
