import { setTimeout as sleep } from 'node:timers/promises';
import type { IDataObject } from 'n8n-workflow';
import { DEMO_ACCOUNT, Emulator, UNLIMITED } from '../../emulator/server';
import { SITES } from '../../emulator/sites';
import { VERSIONS } from '../../testbed/n8n/versions';
import { N8nInstance } from '../../testbed/n8n/instance';
import { until } from '../../testbed/wait';
import { inEach } from '../../testbed/jest/inEach';
import { shareStage } from '../../testbed/jest/shareStage';
import { unlimitedAccount } from '../../testbed/n8n/unlimited';
import { getSiteNode, manualWorkflow, webhookWorkflow } from '../../testbed/workflows';

/** Required by the public API, which knows no defaults. */
const VERSION_FIELDS = {
	versionHeader: 'Service-Version',
	tokenVersion: '2025-01-01',
	dataVersion: '2023-01-01',
};
const TRIAL = { username: 'trial', password: 'another-fjord' };
const WEBHOOK = 'sites';
/** Tries enough for an outage, which ends sooner than the time that is allowed. */
const PATIENT = { maxTries: 20 };

const ALL_READ = Array(20).fill([1001, 1002]);
const rowsOf = (...siteIds: number[]) => siteIds.map((id) => ({ id }));
/** Longer than a new token needs to count as proven, before it is revoked. */
const settle = async () => await sleep(5_500);

const stage = shareStage();

/** An n8n with an active workflow, and a service of its own. */
class World {
	private constructor(
		readonly name: string,
		readonly version: string,
		readonly n8n: N8nInstance,
		public emulator: Emulator,
		readonly credential: string,
	) {}

	static async begin(version: string): Promise<World> {
		const accounts = {
			[DEMO_ACCOUNT.username]: DEMO_ACCOUNT.password,
			[TRIAL.username]: TRIAL.password,
		};
		const emulator = await stage.keep(Emulator.start({ ...UNLIMITED, accounts }));
		const n8n = await N8nInstance.start(stage, version);
		const credential = await n8n.createCredential(unlimitedAccount(emulator.baseUrl));
		await n8n.addWebhook(webhookWorkflow(WEBHOOK, getSiteNode(credential)));
		const world = new World(`n8n ${version}`, version, n8n, emulator, credential);
		await world.read(1001);
		return world;
	}

	async read(...siteIds: number[]) {
		const items = await this.n8n.callWebhook<IDataObject[]>(WEBHOOK, rowsOf(...siteIds));
		return items.map(({ siteId }) => siteId);
	}

	async burst() {
		return await Promise.all(Array.from({ length: 20 }, async () => await this.read(1001, 1002)));
	}

	logins() {
		return this.emulator.journal.count('token');
	}

	users() {
		return this.emulator.journal.of('site').map(({ account }) => account);
	}

	rejected() {
		return this.emulator.journal.of('site').filter(({ status }) => status === 401).length;
	}

	/** Has the service issue tokens in this way from the next login on, of which there is one. */
	async issue(settings: Partial<Emulator['tokens']['settings']>) {
		Object.assign(this.emulator.tokens.settings, settings);
		this.emulator.tokens.revokeAll();
		// A process logs in four times in 30 seconds at most, and these tests need more.
		await this.restart();
		await this.read(1001);
		this.emulator.reset();
	}

	/** Starts n8n again, and waits until its workflow is active. */
	async restart(signal?: NodeJS.Signals) {
		await this.n8n.restart(signal);
		await this.n8n.answersAt(WEBHOOK);
	}
}

describe('the node over time, in all versions at once', () => {
	let worlds: World[];

	beforeAll(async () => {
		worlds = await Promise.all(VERSIONS.map(async (version) => await World.begin(version)));
	}, 360_000);
	beforeEach(() => {
		for (const { emulator } of worlds) emulator.reset();
	});

	const everywhere = (promise: string, test: (world: World) => Promise<void>) =>
		it(promise, async () => await inEach(worlds, test));

	everywhere(
		'a second process uses the stored token, and makes one login where that is dead',
		async (world) => {
			const workflow = manualWorkflow(rowsOf(1001, 1002), getSiteNode(world.credential));
			const execute = async () =>
				await world.n8n.home.run(['execute', `--id=${await world.n8n.createWorkflow(workflow)}`]);

			await world.read(1001);
			await expect(execute()).resolves.toContain(SITES[1]?.siteName);
			expect(world.logins()).toBe(0);

			await settle();
			world.emulator.tokens.revokeAll();
			const [executed, items] = await Promise.all([execute(), world.read(1001, 1002)]);
			expect(executed).toContain(SITES[1]?.siteName);
			expect(items).toEqual([1001, 1002]);
			expect(world.logins()).toBeLessThanOrEqual(2);
		},
	);

	everywhere(
		'an execution that is stopped ends its requests and sends nothing more',
		async (world) => {
			world.emulator.fail({ route: 'site', fault: { kind: 'hang' } });
			const rows = rowsOf(
				...SITES.map(({ siteId }) => siteId),
				...SITES.map(({ siteId }) => siteId),
			);
			const workflow = manualWorkflow(rows, getSiteNode(world.credential));

			const execution = await world.n8n.startManually(await world.n8n.createWorkflow(workflow));
			await until(() => world.emulator.journal.underWay === 20);
			await world.n8n.stopExecution(execution);

			await expect(world.n8n.finished(execution)).resolves.toMatchObject({ status: 'canceled' });
			await until(() => world.emulator.journal.underWay === 0);
			await sleep(2_000);
			expect(world.emulator.journal.count('site')).toBe(20);
		},
	);

	everywhere('a run survives that the service is gone for some seconds', async (world) => {
		const patient = webhookWorkflow(
			'patient',
			getSiteNode(world.credential, 'stopWorkflow', PATIENT),
		);
		await world.n8n.addWebhook(patient);
		const rows = rowsOf(...SITES.map(({ siteId }) => siteId));
		const { port } = new URL(world.emulator.baseUrl);
		const { accounts } = world.emulator.settings;
		await world.read(1001);
		await settle();
		world.emulator.settings.latencyMs = 500;

		const answer = world.n8n.callWebhook<IDataObject[]>('patient', rows);
		await until(() => world.emulator.journal.underWay === 20);
		await world.emulator.stop();
		await sleep(2_000);
		world.emulator = await stage.keep(
			Emulator.start({ ...UNLIMITED, port: Number(port), accounts }),
		);

		expect((await answer).map(({ siteId }) => siteId)).toEqual(rows.map(({ id }) => id));
		expect(world.logins()).toBe(1);
	});

	everywhere(
		'after an edit by the public API the next request runs as the new account',
		async (world) => {
			const fields = { ...unlimitedAccount(world.emulator.baseUrl), ...VERSION_FIELDS, ...TRIAL };
			const whole = await world.n8n.editCredentialByApi(world.credential, { data: fields });
			// n8n 1.x cannot edit a credential by its public API.
			expect(whole).toBe(world.version.startsWith('1.') ? 405 : 200);
			if (whole !== 200) return;

			await expect(world.read(1001, 1002)).resolves.toEqual([1001, 1002]);
			expect(world.users()).toEqual([TRIAL.username, TRIAL.username]);

			world.emulator.reset();
			await world.n8n.editCredentialByApi(world.credential, {
				data: DEMO_ACCOUNT,
				isPartialData: true,
			});
			await expect(world.read(1001, 1002)).resolves.toEqual([1001, 1002]);
			expect(world.users()).toEqual([DEMO_ACCOUNT.username, DEMO_ACCOUNT.username]);
		},
	);

	it.each(['while it waits for the answer', 'once it has the answer'])(
		'n8n is killed during a login, %s, and starts again',
		async (moment) =>
			await inEach(worlds, async (world) => {
				await world.n8n.editCredential(world.credential, { accessToken: '', tokenBinding: '' });
				const route = moment === 'while it waits for the answer' ? 'token' : 'site';
				world.emulator.fail({ route, times: 1, fault: { kind: 'hang' } });
				await world.n8n.restart();
				const lost = world.read(1001).catch(({ code }: { code: string }) => code);
				await until(() => world.emulator.journal.count(route) === 1);
				await world.n8n.restart('SIGKILL');

				await expect(lost).resolves.not.toEqual([1001]);
				await world.n8n.answersAt(WEBHOOK);
				await expect(world.burst()).resolves.toEqual(ALL_READ);
				expect(world.logins()).toBeLessThanOrEqual(2);
				await expect(world.n8n.countUnfinished()).resolves.toBe(0);
				await expect(world.n8n.testCredential(world.credential)).resolves.toMatchObject({
					status: 'OK',
				});
			}),
	);

	describe('tokens that end', () => {
		const LIFETIME_SECONDS = 6;

		it.each<[string, Partial<Emulator['tokens']['settings']>, boolean]>([
			['before a request is sent, where its end is known', {}, false],
			[
				'after the service has rejected it, where its end is not known',
				{ opaque: true, announcedLifetime: null },
				true,
			],
		])(
			'one login renews a token that ends %s',
			async (_when, settings, isRejected) =>
				await inEach(worlds, async (world) => {
					await world.issue({ lifetimeSeconds: LIFETIME_SECONDS, ...settings });
					await sleep(LIFETIME_SECONDS * 1000);

					await expect(world.burst()).resolves.toEqual(ALL_READ);
					expect(world.logins()).toBe(1);
					expect(world.rejected() > 0).toBe(isRejected);
				}),
		);
	});

	everywhere('n8n has nothing to complain of', async (world) => {
		await expect(world.n8n.home.complaints()).resolves.toEqual([]);
	});
});
