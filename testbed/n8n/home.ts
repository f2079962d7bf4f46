import { cp, mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import manifest from '../../package.json';
import { BackgroundProcess, run } from '../command';
import { pack } from '../tarball';
import { CACHE, installationOf } from './install';
import { getFreePort } from '../wait';
import { IS_N8N_1, VERSION } from './versions';

const ROOT = path.resolve(__dirname, '../..');
const QUIET = ['--no-audit', '--no-fund', '--loglevel=error'];
/** Where n8n looks for community packages, in the user folder. */
const PACKAGES = '.n8n/nodes';

/** A user folder of n8n, in which the packed package is installed as n8n installs community packages. */
export class N8nHome {
	/** What has been started last. */
	private process: BackgroundProcess | undefined;

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

	/** Starts the command of n8n that goes on with this folder, such as `start`. What it prints goes into the log. */
	async start(name: string): Promise<BackgroundProcess> {
		const { command, parameters, env } = await this.invocation([name]);
		const log = await open(this.logFile, 'a');
		this.process = new BackgroundProcess(command, parameters, {
			env,
			stdio: ['ignore', log.fd, log.fd],
		});
		await log.close();
		return this.process;
	}

	/**
	 * Runs a command of n8n in a process of its own, such as `['execute', '--id', id]`.
	 *
	 * @returns what it printed.
	 */
	async run(words: readonly string[]): Promise<string> {
		const { command, parameters, env } = await this.invocation(words);
		// n8n 2.40.7 now and then crashes after its last line, with or without the package.
		return await run(command, parameters, { env, quiet: true, toleratedSignal: 'SIGSEGV' });
	}

	/** What `run` runs, for those who spawn it in a way of their own. */
	async invocation(words: readonly string[]) {
		const { node, n8n } = installationOf(VERSION);
		return { command: node, parameters: [n8n, ...words], env: await this.environment() };
	}

	/** All that n8n has printed so far. */
	async log(): Promise<string> {
		return await readFile(this.logFile, 'utf8');
	}

	/** The lines of the log in which n8n or Node.js complains of the package. */
	async getWarnings(): Promise<string[]> {
		// The cache folder is named after the package too.
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

	/** The bytes of n8n's own database, each as a character. */
	async database(): Promise<string> {
		const files = ['database.sqlite', 'database.sqlite-wal'];
		const contents = files.map(async (file) =>
			(
				await readFile(path.join(this.directory, '.n8n', file)).catch(() => Buffer.alloc(0))
			).toString('latin1'),
		);
		return (await Promise.all(contents)).join('');
	}

	/** Replaces the installed files with those that were built last. */
	async copyBuild(): Promise<void> {
		const installed = path.join(this.directory, PACKAGES, 'node_modules', manifest.name);
		await cp(path.join(ROOT, 'dist'), path.join(installed, 'dist'), { recursive: true });
	}

	/** Ends what has been started, and deletes the folder. */
	async stop(): Promise<void> {
		await this.process?.stop('SIGKILL');
		await rm(this.directory, { recursive: true, force: true, maxRetries: 3 });
	}

	private async installPackage(): Promise<void> {
		const packages = path.join(this.directory, PACKAGES);
		await mkdir(packages, { recursive: true });
		await writeFile(
			path.join(packages, 'package.json'),
			'{"name":"installed-nodes","private":true}',
		);
		const { file } = await pack(ROOT, path.join(this.directory, 'packed'));
		await run('npm', ['install', file, ...QUIET], { cwd: packages, quiet: true });
	}

	private get logFile(): string {
		return path.join(this.directory, 'n8n.log');
	}

	/** Settings for an n8n that asks nobody and calls nobody. */
	private async environment(): Promise<NodeJS.ProcessEnv> {
		return {
			NODE_ENV: 'production',
			N8N_USER_FOLDER: this.directory,
			N8N_LISTEN_ADDRESS: '127.0.0.1',
			N8N_RUNNERS_BROKER_PORT: String(await getFreePort()),
			N8N_LOG_LEVEL: 'debug',
			N8N_DIAGNOSTICS_ENABLED: 'false',
			N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
			N8N_TEMPLATES_ENABLED: 'false',
			N8N_PERSONALIZATION_ENABLED: 'false',
			N8N_VERIFIED_PACKAGES_ENABLED: 'false',
			// A database that a busy machine lets wait for five seconds has n8n refuse everything.
			DB_PING_INTERVAL_SECONDS: '3600',
			N8N_ENFORCE_SETTINGS_FILE_PERMISSIONS: 'true',
			// Node.js 20 cannot load the newer engine.
			...(IS_N8N_1 && { N8N_EXPRESSION_ENGINE: 'legacy' }),
			...this.env,
		};
	}
}
