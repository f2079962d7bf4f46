import { existsSync } from 'node:fs';
import { mkdir, rm, statfs, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { run, type CommandSettings } from '../command';
import { say, withProgress } from '../progress';
import { UserFacingError } from '../userFacingError';

interface Release {
	/** Default: the running Node.js. */
	node?: string;
	/** Replace dependencies that some registries or networks lack. */
	overrides: Record<string, string>;
}

const N8N_1: Release = {
	overrides: { linkedom: '0.18.12', xlsx: '0.18.5', '@langchain/langgraph-checkpoint': '1.0.0' },
};
/** Later major versions are installed like this one. */
const N8N_2: Release = {
	node: '24.21.0',
	overrides: { linkedom: '0.18.12', xlsx: '0.18.5', '@langchain/langgraph': '1.4.4' },
};

const releaseOf = (version: string) => (version.startsWith('1.') ? N8N_1 : N8N_2);

/** Outside the checkout, since installs take minutes and gigabytes. */
export const CACHE =
	process.env.N8N_CACHE_DIRECTORY ?? path.join(homedir(), '.cache', 'n8n-nodes-aquaculture');

/**
 * Peer dependencies of n8n that `--legacy-peer-deps` leaves out: ts-ics needs one, and Extract from File needs ts-ics.
 * Node.js finds it in the folder above those of n8n.
 */
const PEERS = ['date-fns@2'];

/** Returns the paths of a version, installed or not. */
export function installationOf(version: string) {
	const { node } = releaseOf(version);
	return {
		node: isRunning(node) ? process.execPath : path.join(nodeDirectory(node), 'bin/node'),
		n8n: path.join(n8nDirectory(version), 'node_modules/n8n/bin/n8n'),
	};
}

/** n8n 2.40.7 with its Node.js takes 2.5 GB, and npm's cache another one. */
const NEEDED_GB = 4;

/** Installs a version unless it is complete. When the signal aborts, it stops and deletes what is incomplete. */
export async function install(version: string, signal?: AbortSignal): Promise<void> {
	const { node, overrides } = releaseOf(version);
	if (!isComplete(n8nDirectory(version))) await checkDisk(version);
	if (!isRunning(node)) {
		await installOnce(nodeCache(node), async (directory) => {
			await writeFile(path.join(directory, 'package.json'), '{"private":true}');
			const parameters = ['install', `${NODE_PACKAGE}@${node}`, '--ignore-scripts'];
			await npm(`Downloading Node.js ${node}`, parameters, { cwd: directory, signal });
		});
	}
	await installOnce(path.join(CACHE, 'node_modules'), async () => {
		const flags = ['--ignore-scripts', '--no-save', '--prefix', CACHE];
		const parameters = ['install', ...PEERS, ...flags];
		await npm('Downloading what n8n needs beside it', parameters, { cwd: CACHE, signal });
	});
	await installOnce(n8nDirectory(version), async (directory) => {
		const installed = installationOf(version);
		const bin = path.dirname(installed.node);
		const env = {
			PATH: `${bin}${path.delimiter}${process.env.PATH ?? ''}`,
			...(!isRunning(node) && { npm_config_nodedir: nodeDirectory(node) }),
		};
		const installWith = async (manifest: object) => {
			await rm(directory, { recursive: true, force: true });
			await mkdir(directory);
			await writeFile(path.join(directory, 'package.json'), JSON.stringify(manifest));
			const parameters = ['install', `n8n@${version}`, '--legacy-peer-deps', '--ignore-scripts'];
			await npm(`Downloading n8n ${version}`, parameters, { cwd: directory, env, signal });
			// npm may pick a langgraph-checkpoint with which n8n 1.123 does not load.
			const settings = { env: { N8N_USER_FOLDER: directory }, quiet: true, signal };
			const words = [installed.n8n, 'start', '--help'];
			await withProgress('Checking that n8n loads', run(installed.node, words, settings), signal);
		};
		try {
			await installWith({ private: true });
		} catch (error) {
			signal?.throwIfAborted();
			const [reason] = (error as Error).message.split('\n');
			say(`Installing n8n again with ${JSON.stringify(overrides)}, since ${reason}`);
			await installWith({ private: true, overrides });
		}
		const rebuild = ['rebuild', 'sqlite3', '--ignore-scripts=false'];
		const settings = { cwd: directory, env, signal };
		await npm("Building n8n's database driver", rebuild, settings).catch((error: Error) => {
			throw new UserFacingError(
				`${error.message}\nThe database driver of n8n ${version} could not be built. It needs Python 3, make and a C++ compiler.`,
			);
		});
	});
}

/** @throws UserFacingError if the disk is too full to install n8n. */
async function checkDisk(version: string): Promise<void> {
	await mkdir(CACHE, { recursive: true });
	const { bavail, bsize } = await statfs(CACHE);
	const freeGb = (bavail * bsize) / 1e9;
	if (freeGb >= NEEDED_GB) return;
	throw new UserFacingError(
		`n8n ${version} needs ${NEEDED_GB} GB of disk, but ${CACHE} has ${freeGb.toFixed(1)} GB free. Delete something, or set N8N_CACHE_DIRECTORY to a folder on another disk.`,
	);
}

const NODE_PACKAGE = `node-${process.platform}-${process.arch}`;

/** Whether the running Node.js has the required major version. */
function isRunning(node: string | undefined): node is undefined {
	return node === undefined || process.versions.node.split('.')[0] === node.split('.')[0];
}

const n8nDirectory = (version: string) => path.join(CACHE, `n8n-${version}`);
const nodeCache = (version: string) => path.join(CACHE, `node-${version}`);
const nodeDirectory = (version: string) =>
	path.join(nodeCache(version), 'node_modules', NODE_PACKAGE);

const isComplete = (directory: string) => existsSync(path.join(directory, '.complete'));

/** Fills a folder unless it is complete. If that fails, deletes it. */
async function installOnce(
	directory: string,
	work: (directory: string) => Promise<void>,
): Promise<void> {
	if (isComplete(directory)) return;
	await rm(directory, { recursive: true, force: true });
	await mkdir(directory, { recursive: true });
	say(`Installing in ${directory}, which may take minutes`);
	try {
		await work(directory);
		await writeFile(path.join(directory, '.complete'), '');
	} catch (error) {
		// n8n has 240,000 files.
		const deletion = rm(directory, { recursive: true, force: true });
		await withProgress(`Deleting ${directory}, which is incomplete`, deletion);
		throw error;
	}
}

async function npm(
	what: string,
	parameters: readonly string[],
	settings: CommandSettings,
): Promise<void> {
	const flags = ['--no-audit', '--no-fund', '--loglevel=error'];
	const work = run('npm', [...parameters, ...flags], { ...settings, quiet: true });
	try {
		await withProgress(what, work, settings.signal);
	} catch (error) {
		throw new UserFacingError(
			`${(error as Error).message}\nThe lines above tell why. Check the internet connection and the disk, then run this again.`,
		);
	}
}
