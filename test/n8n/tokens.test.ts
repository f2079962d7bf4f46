import { setTimeout as sleep } from 'node:timers/promises';
import type { IDataObject } from 'n8n-workflow';
import { Emulator, UNLIMITED } from '../../emulator/server';
import { madeUpSite } from '../../emulator/sites';
import { inEach } from '../../testbed/jest/inEach';
import { shareStage } from '../../testbed/jest/shareStage';
import { N8nInstance } from '../../testbed/n8n/instance';
import { VERSIONS } from '../../testbed/n8n/versions';
import { until } from '../../testbed/wait';
import {
	getSiteNode,
	httpRequestNode,
	manualWorkflow,
	webhookWorkflow,
} from '../../testbed/workflows';

/** Required by the public API, which knows no defaults. */
const VERSION_FIELDS = {
	versionHeader: 'Service-Version',
	tokenVersion: '2025-01-01',
	dataVersion: '2023-01-01',
};
const PASSWORD = 'fjord-and-salmon';
/** Each test has an account of its own, of which n8n knows no token. */
const USERS = [
	...['cold', 'burst', 'announced', 'unknown', 'revoked', 'process', 'refused'],
	...['username', 'password', 'address', 'api', 'waiting', 'answered', 'other'],
	...['login', 'limit', 'answer', 'retry'],
] as const;
type User = (typeof USERS)[number];

const FIFTY = Array.from({ length: 50 }, (_, index) => 5001 + index);
const rowsOf = (...siteIds: number[]) => siteIds.map((id) => ({ id }));

const stage = shareStage();
const startEmulator = async () =>
	await stage.keep(
		Emulator.start({
			...UNLIMITED,
			accounts: Object.fromEntries(USERS.map((user) => [user, PASSWORD])),
			sites: FIFTY.map(madeUpSite),
		}),
	);

/** An n8n, and a service of its own. */
class World {
	private constructor(
		readonly name: string,
		readonly version: string,
		readonly n8n: N8nInstance,
		readonly emulator: Emulator,
		readonly elsewhere: Emulator,
	) {}

	static async begin(version: string): Promise<World> {
		const n8n = await N8nInstance.start(stage, version);
		const emulators = [await startEmulator(), await startEmulator()] as const;
		return new World(`n8n ${version}`, version, n8n, ...emulators);
	}

	/** The fields of the credential of an account. */
	fieldsOf(username: User): IDataObject {
		return { baseUrl: this.emulator.baseUrl, username, password: PASSWORD, ...UNLIMITED };
	}

	/** The credential of an account, and a webhook of the same name that reads with it. */
	async open(username: User, more: IDataObject = {}, onError?: 'continueRegularOutput') {
		const credential = await this.n8n.createCredential({ ...this.fieldsOf(username), ...more });
		await this.n8n.addWebhook(webhookWorkflow(username, getSiteNode(credential, onError)));
		return credential;
	}

	/** The IDs of sites as the account's webhook has read them. */
	async read(username: User, ...siteIds: number[]) {
		const items = await this.n8n.callWebhook<IDataObject[]>(username, rowsOf(...siteIds));
		return items.map(({ siteId }) => siteId);
	}

	async burst(username: User) {
		const runs = Array.from({ length: 20 }, async () => await this.read(username, 5001, 5002));
		return await Promise.all(runs);
	}

	requestsOf(username: User, route: 'token' | 'site') {
		return this.emulator.journal.of(route).filter(({ account }) => account === username);
	}

	logins(username: User) {
		return this.requestsOf(username, 'token').length;
	}

	rejected() {
		return this.emulator.journal.of('site').filter(({ status }) => status === 401).length;
	}
}

const ALL_READ = Array(20).fill([5001, 5002]);

describe('tokens in n8n, in all versions at once', () => {
	let worlds: World[];

	beforeAll(async () => {
		worlds = await Promise.all(VERSIONS.map(async (version) => await World.begin(version)));
	}, 360_000);
	beforeEach(() => {
		for (const { emulator } of worlds) {
			emulator.reset();
			Object.assign(emulator.settings, { latencyMs: 0 });
		}
	});

	const everywhere = (promise: string, test: (world: World) => Promise<void>) =>
		it(promise, async () => await inEach(worlds, test));

	everywhere('50 items without a token make one login', async (world) => {
		await world.open('cold');

		await expect(world.read('cold', ...FIFTY)).resolves.toEqual(FIFTY);
		expect(world.logins('cold')).toBe(1);
	});

	everywhere('20 executions at once without a token make one login', async (world) => {
		await world.open('burst');

		await expect(world.burst('burst')).resolves.toEqual(ALL_READ);
		expect(world.logins('burst')).toBe(1);
	});

	it.each([
		['announced', 'before a request is sent, where its end is known', {}, false],
		[
			'unknown',
			'after the service has rejected it, where its end is not known',
			{ opaque: true, announcedLifetime: null },
			true,
		],
	] as const)(
		'one login renews a token that expires: %s, %s',
		async (user, _when, settings, isRejected) =>
			await inEach(worlds, async (world) => {
				const before = { ...world.emulator.tokens.settings };
				await world.open(user);
				Object.assign(world.emulator.tokens.settings, { lifetimeSeconds: 5, ...settings });
				await world.read(user, 5001);
				Object.assign(world.emulator.tokens.settings, {
					...{ opaque: false, announcedLifetime: undefined },
					...before,
				});
				// The token expires in real time, and a shorter lifetime is not believed.
				await sleep(5_000);
				world.emulator.reset();

				await expect(world.burst(user)).resolves.toEqual(ALL_READ);
				expect(world.logins(user)).toBe(1);
				expect(world.rejected() > 0).toBe(isRejected);
			}),
	);

	everywhere('a token that is revoked in the middle of a run costs one login', async (world) => {
		await world.open('revoked');
		await world.read('revoked', 5001);
		world.emulator.reset();
		world.emulator.settings.latencyMs = 200;

		const reading = world.read('revoked', ...FIFTY);
		await until(() => world.requestsOf('revoked', 'site').length > 15);
		world.emulator.tokens.revokeAll();

		await expect(reading).resolves.toEqual(FIFTY);
		expect(world.logins('revoked')).toBe(1);
		expect(world.rejected()).toBeGreaterThan(0);
	});

	everywhere(
		'a second process uses the stored token, and makes one login if that is revoked',
		async (world) => {
			const credential = await world.open('process');
			await world.read('process', 5001);
			world.emulator.reset();
			const workflow = manualWorkflow(rowsOf(5001, 5002), getSiteNode(credential));
			const id = await world.n8n.createWorkflow(workflow);
			const execute = async () => await world.n8n.home.run(['execute', `--id=${id}`]);

			await expect(execute()).resolves.toContain('Lokalitet 5002');
			expect(world.logins('process')).toBe(0);

			world.emulator.tokens.revokeAll();
			const [executed, items] = await Promise.all([execute(), world.read('process', 5001, 5002)]);
			expect(executed).toContain('Lokalitet 5002');
			expect(items).toEqual([5001, 5002]);
			expect(world.logins('process')).toBeLessThanOrEqual(2);
		},
	);

	everywhere(
		'a wrong password is sent once for 50 items and the HTTP Request nodes after them',
		async (world) => {
			const credential = await world.open(
				'refused',
				{ password: 'wrong' },
				'continueRegularOutput',
			);
			const node = httpRequestNode(credential, 'continueRegularOutput');
			await world.n8n.addWebhook(webhookWorkflow('request', node));
			const url = `${world.emulator.baseUrl}/meta/sites/5001`;

			const items = await world.n8n.callWebhook<IDataObject[]>('refused', rowsOf(...FIFTY));
			const others = await world.n8n.callWebhook<IDataObject[]>('request', [{ url }, { url }]);

			const refused = expect.stringContaining(
				'The service refused the username and password',
			) as unknown;
			expect(items).toEqual(
				FIFTY.map(() => expect.objectContaining({ error: refused }) as unknown),
			);
			expect(others).toMatchObject(Array(2).fill({ error: { message: refused } }));
			expect(world.emulator.journal.requests).toHaveLength(1);
		},
	);

	it.each<[User, (world: World) => IDataObject]>([
		['username', () => ({ username: 'other' })],
		['password', () => ({ password: 'a new one' })],
		['address', ({ elsewhere }) => ({ baseUrl: elsewhere.baseUrl })],
	])(
		'after an edit of the %s the stored token is not used',
		async (user, edit) =>
			await inEach(worlds, async (world) => {
				const credential = await world.open(user);
				await world.read(user, 5001);
				const { accounts } = world.emulator.settings;
				if (user === 'password') accounts[user] = 'a new one';
				world.emulator.reset();
				await world.n8n.editCredential(credential, edit(world));

				await expect(world.read(user, 5001, 5002)).resolves.toEqual([5001, 5002]);
				const asked = user === 'address' ? world.elsewhere : world.emulator;
				const [login, ...sites] = asked.journal.requests;
				const typed = { username: user, password: PASSWORD, ...edit(world), baseUrl: undefined };
				expect(JSON.parse(login?.body ?? '')).toEqual(typed);
				const users = sites.map(({ account }) => account);
				expect(users).toEqual(Array(2).fill(typed.username));
				if (user === 'address') expect(world.emulator.journal.requests).toEqual([]);
			}),
	);

	everywhere(
		'after an edit by the public API the next request runs as the new account',
		async (world) => {
			const credential = await world.open('api');
			await world.read('api', 5001);
			world.emulator.reset();
			const fields = { ...world.fieldsOf('other'), ...VERSION_FIELDS };
			const status = await world.n8n.editCredentialByApi(credential, { data: fields });
			// n8n 1.x cannot edit a credential by its public API.
			expect(status).toBe(world.version.startsWith('1.') ? 405 : 200);
			if (status !== 200) return;

			await expect(world.read('api', 5001, 5002)).resolves.toEqual([5001, 5002]);
			expect(world.requestsOf('other', 'site')).toHaveLength(2);
			expect(world.requestsOf('api', 'site')).toHaveLength(0);
		},
	);

	const unavailable = { kind: 'status', status: 503, headers: { 'retry-after': '30' } } as const;
	it.each<[string, User, IDataObject, (emulator: Emulator) => void, number]>([
		['waits for the limit', 'limit', { requestsPerMinute: 2 }, () => undefined, 2],
		[
			'reads sites',
			'answer',
			{},
			(service) => service.fail({ route: 'site', fault: { kind: 'hang' } }),
			2,
		],
		[
			'waits before it asks again',
			'retry',
			{},
			(service) => service.fail({ route: 'site', fault: unavailable }),
			3,
		],
		[
			'logs in',
			'login',
			{},
			(service) => service.fail({ route: 'token', fault: { kind: 'hang' } }),
			1,
		],
	])(
		'an execution that is stopped while it %s sends nothing more',
		async (_step, user, more, prepare, requests) =>
			await inEach(worlds, async (world) => {
				const { n8n, emulator } = world;
				prepare(emulator);
				const credential = await n8n.createCredential({ ...world.fieldsOf(user), ...more });
				const workflow = manualWorkflow(rowsOf(5001, 5002, 5003), getSiteNode(credential));

				const execution = await n8n.startManually(await n8n.createWorkflow(workflow));
				await until(() => emulator.journal.requests.length >= requests);
				// Long enough for what follows the last answer.
				await sleep(500);
				const sent = emulator.journal.requests.length;
				await n8n.stopExecution(execution);

				await expect(n8n.finished(execution)).resolves.toMatchObject({ status: 'canceled' });
				// A login that has been sent goes on for up to a minute: its token may serve others.
				if (user !== 'login') await until(() => emulator.journal.underWay === 0);
				await sleep(1_500);
				expect(emulator.journal.requests.length).toBe(sent);
			}),
	);

	it.each([
		['while it waits for the answer', 'waiting', 'token'],
		['once it has the answer', 'answered', 'site'],
	] as const)(
		'n8n is killed during a login, %s, and starts again',
		async (_moment, user, route) =>
			await inEach(worlds, async (world) => {
				const { n8n, emulator } = world;
				const credential = await world.open(user);
				emulator.fail({ route, times: 1, fault: { kind: 'hang' } });
				const lost = world.read(user, 5001).catch(({ code }: { code: string }) => code);
				await until(() => emulator.journal.count(route) === 1);
				await n8n.restart('SIGKILL');

				await expect(lost).resolves.not.toEqual([5001]);
				await n8n.answersAt(user);
				await expect(world.burst(user)).resolves.toEqual(ALL_READ);
				expect(world.logins(user)).toBeLessThanOrEqual(2);
				await expect(n8n.countUnfinished()).resolves.toBe(0);
				await expect(n8n.testCredential(credential)).resolves.toMatchObject({ status: 'OK' });
			}),
	);

	everywhere('n8n has nothing to complain of', async (world) => {
		await expect(world.n8n.home.complaints()).resolves.toEqual([]);
	});
});
