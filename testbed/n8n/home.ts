import { cp, mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { x, type Result } from 'tinyexec';
import manifest from '../../package.json';
import { run } from '../command';
import { pack } from '../tarball';
import { CACHE, installationOf } from './install';
import { getFreePort } from '../wait';
import { IS_N8N_1, VERSION } from './versions';

const ROOT = path.resolve(__dirname, '../..');
/** Where n8n looks for community packages, in the user folder. */
const PACKAGES = '.n8n/nodes';

const { node: NODE, n8n: N8N } = installationOf(VERSION);

/** A user folder of n8n with the packed package, installed like a community package. */
export class N8nHome {
	/** The last one that was started. */
	process: Result | undefined;

	private constructor(
		readonly directory: string,
		private readonly env: NodeJS.ProcessEnv,
	) {}

	/**
	 * Packs the package and installs it in a new user folder.
	 *
	 * @param env settings of n8n for all commands that run with this folder.
	 */
	static async create(env: NodeJS.ProcessEnv = {}): Promise<N8nHome> {
		const home = new N8nHome(await mkdtemp(path.join(tmpdir(), 'n8n-')), env);
		try {
			await home.installPackage();
		} catch (error) {
			await home.stop();
			throw error;
		}
		return home;
	}

	/** Starts a long-running command of n8n, such as `start`, and writes its output to the log. */
	async start(name: string): Promise<void> {
		const env = await this.environment();
		const log = await open(this.logFile, 'a');
		this.process = x(NODE, [N8N, name], {
			nodePath: false,
			nodeOptions: { env, stdio: ['ignore', log.fd, log.fd] },
		});
		await log.close();
	}

	/** Runs a command of n8n to its end, such as `['execute', '--id', id]`. @returns its output. */
	async run(words: readonly string[]): Promise<string> {
		const env = await this.environment();
		// n8n 2.40.7 sometimes crashes after its last line, with or without the package.
		return await run(NODE, [N8N, ...words], { env, quiet: true, toleratedSignal: 'SIGSEGV' });
	}

	async log(): Promise<string> {
		return await readFile(this.logFile, 'utf8');
	}

	/** Returns warnings and errors about the package from the log of n8n and Node.js. */
	async getWarnings(): Promise<string[]> {
		// The name of the cache folder also contains "aquaculture".
		const lines = (await this.log()).replaceAll(CACHE, '').split('\n');
		if (!lines.some((line) => /\| info +\|/.test(line))) {
			throw new Error('n8n writes its log in a form that is not known');
		}
		return lines
			.filter((line) => /\| (?:warn|error) +\||^\(node:/.test(line))
			.filter((line) =>
				/aquaculture|MaxListenersExceeded.*(?:AbortSignal|EventTarget)/i.test(line),
			);
	}

	/** Returns the bytes of n8n's SQLite database as Latin-1. */
	async database(): Promise<string> {
		const read = async (file: string) =>
			await readFile(path.join(this.directory, '.n8n', file), 'latin1');
		// n8n 1.x has no write-ahead log.
		const log = await read('database.sqlite-wal').catch(() => '');
		return (await read('database.sqlite')) + log;
	}

	/** Replaces the installed files with the latest build. */
	async copyBuild(): Promise<void> {
		const installed = path.join(this.directory, PACKAGES, 'node_modules', manifest.name);
		await cp(path.join(ROOT, 'dist'), path.join(installed, 'dist'), { recursive: true });
	}

	async stop(): Promise<void> {
		this.process?.kill('SIGKILL');
		await this.process;
		await rm(this.directory, { recursive: true, force: true, maxRetries: 3 });
	}

	/** Keeps n8n from asking for input and from calling home. */
	async environment(): Promise<NodeJS.ProcessEnv> {
		return {
			NODE_ENV: 'production',
			N8N_USER_FOLDER: this.directory,
			// Here n8n 2 leaves a folder for uploads to data tables.
			TMPDIR: this.directory,
			N8N_LISTEN_ADDRESS: '127.0.0.1',
			N8N_RUNNERS_BROKER_PORT: String(await getFreePort()),
			N8N_LOG_LEVEL: 'debug',
			N8N_DIAGNOSTICS_ENABLED: 'false',
			N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
			N8N_TEMPLATES_ENABLED: 'false',
			N8N_PERSONALIZATION_ENABLED: 'false',
			N8N_VERIFIED_PACKAGES_ENABLED: 'false',
			// On a busy machine, a database ping may take five seconds, after which n8n refuses all requests.
			DB_PING_INTERVAL_SECONDS: '3600',
			N8N_ENFORCE_SETTINGS_FILE_PERMISSIONS: 'true',
			// Node.js 20 cannot load the newer engine.
			...(IS_N8N_1 && { N8N_EXPRESSION_ENGINE: 'legacy' }),
			...this.env,
		};
	}

	private async installPackage(): Promise<void> {
		const { file } = await pack(path.join(this.directory, 'packed'));
		const packages = path.join(this.directory, PACKAGES);
		await run('npm', ['install', file, '--prefix', packages, '--no-audit'], { quiet: true });
	}

	private get logFile(): string {
		return path.join(this.directory, 'n8n.log');
	}
}
