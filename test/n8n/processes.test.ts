import { setTimeout as sleep } from 'node:timers/promises';
import type { IDataObject } from 'n8n-workflow';
import { DEMO_ACCOUNT, Emulator, UNLIMITED } from '../../emulator/server';
import { SITES } from '../../emulator/sites';
import { userOf } from '../../emulator/tokens';
import { VERSIONS } from '../../testbed/n8n/install';
import { N8nInstance } from '../../testbed/n8n/instance';
import { until } from '../../testbed/wait';
import { shareStage } from '../../testbed/jest/shareStage';
import { unlimitedAccount } from '../../testbed/n8n/unlimited';
import { getSiteNode, manualWorkflow, webhookWorkflow } from '../../testbed/workflows';

const TRIAL = { username: 'trial', password: 'another-fjord' };
const WEBHOOK = 'sites';
/** Tries enough for an outage, which ends sooner than the time that is allowed. */
const PATIENT = { maxTries: 20 };

describe.each(VERSIONS)('in n8n %s', (version) => {
	const stage = shareStage();
	let n8n: N8nInstance;
	let emulator: Emulator;
	let credential: string;

	beforeAll(async () => {
		const accounts = {
			[DEMO_ACCOUNT.username]: DEMO_ACCOUNT.password,
			[TRIAL.username]: TRIAL.password,
		};
		emulator = await stage.keep(Emulator.start({ ...UNLIMITED, accounts }));
		n8n = await N8nInstance.start(stage, version);
		credential = await n8n.createCredential(unlimitedAccount(emulator.baseUrl));
		await n8n.addWebhook(webhookWorkflow(WEBHOOK, getSiteNode(credential)));
	}, 240_000);
	beforeEach(() => emulator.reset());

	const rowsOf = (...siteIds: number[]) => siteIds.map((id) => ({ id }));
	const read = async (...siteIds: number[]) => {
		const items = await n8n.callWebhook<IDataObject[]>(WEBHOOK, rowsOf(...siteIds));
		return items.map(({ siteId }) => siteId);
	};
	const burst = async () =>
		await Promise.all(Array.from({ length: 20 }, async () => await read(1001, 1002)));
	const ALL_READ = Array(20).fill([1001, 1002]);
	const logins = () => emulator.journal.count('token');
	const users = () =>
		emulator.journal.of('site').map(({ headers }) => userOf(headers.authorization));
	const rejected = () => emulator.journal.of('site').filter(({ status }) => status === 401).length;
	/** Longer than a new token needs to count as proven, before it is revoked. */
	const settle = async () => await sleep(5_500);
	/** A service that issues tokens in this way from the next login on, of which there is one. */
	const issue = async (settings: Partial<typeof emulator.tokens.settings>) => {
		Object.assign(emulator.tokens.settings, settings);
		emulator.tokens.revokeAll();
		// A process logs in four times in 30 seconds at most, and these tests need more.
		await n8n.restart();
		await n8n.answersAt(WEBHOOK);
		await read(1001);
		emulator.reset();
	};

	describe('when a token ends', () => {
		const LIFETIME_SECONDS = 6;

		afterEach(async () => {
			await issue({ lifetimeSeconds: 3600, opaque: false });
		});

		it('one login renews it before a request is sent, where its end is known', async () => {
			await issue({ lifetimeSeconds: LIFETIME_SECONDS });
			await sleep(LIFETIME_SECONDS * 1000);

			await expect(burst()).resolves.toEqual(ALL_READ);
			expect([logins(), rejected()]).toEqual([1, 0]);
		});

		it('one login renews it after the service has rejected it, where its end is not known', async () => {
			await issue({ lifetimeSeconds: LIFETIME_SECONDS, opaque: true, announcedLifetime: null });
			await sleep(LIFETIME_SECONDS * 1000);

			await expect(burst()).resolves.toEqual(ALL_READ);
			expect(logins()).toBe(1);
			expect(rejected()).toBeGreaterThan(0);
		});
	});

	it('a second process uses the stored token, and makes one login where that is dead', async () => {
		const workflow = manualWorkflow(rowsOf(1001, 1002), getSiteNode(credential));
		const execute = async () =>
			await n8n.home.run(['execute', `--id=${await n8n.createWorkflow(workflow)}`]);

		await read(1001);
		await expect(execute()).resolves.toContain(SITES[1]?.siteName);
		expect(logins()).toBe(0);

		await settle();
		emulator.tokens.revokeAll();
		const [executed, items] = await Promise.all([execute(), read(1001, 1002)]);
		expect(executed).toContain(SITES[1]?.siteName);
		expect(items).toEqual([1001, 1002]);
		expect(logins()).toBeLessThanOrEqual(2);
	});

	it('an execution that is stopped ends its requests and sends nothing more', async () => {
		emulator.fail({ route: 'site', fault: { kind: 'hang' } });
		const rows = rowsOf(...SITES.map(({ siteId }) => siteId), ...SITES.map(({ siteId }) => siteId));
		const workflow = manualWorkflow(rows, getSiteNode(credential));

		const execution = await n8n.startManually(await n8n.createWorkflow(workflow));
		await until(() => emulator.journal.underWay === 20);
		await n8n.stopExecution(execution);

		await expect(n8n.finished(execution)).resolves.toMatchObject({ status: 'canceled' });
		await until(() => emulator.journal.underWay === 0);
		await sleep(2_000);
		expect(emulator.journal.count('site')).toBe(20);
	});

	it('a run survives that the service is gone for some seconds', async () => {
		const patient = webhookWorkflow('patient', getSiteNode(credential, 'stopWorkflow', PATIENT));
		await n8n.addWebhook(patient);
		const rows = rowsOf(...SITES.map(({ siteId }) => siteId));
		const { port } = new URL(emulator.baseUrl);
		const { accounts } = emulator.settings;
		await read(1001);
		await settle();
		emulator.settings.latencyMs = 500;

		const answer = n8n.callWebhook<IDataObject[]>('patient', rows);
		await until(() => emulator.journal.underWay === 20);
		await emulator.stop();
		await sleep(2_000);
		emulator = await stage.keep(Emulator.start({ ...UNLIMITED, port: Number(port), accounts }));

		expect((await answer).map(({ siteId }) => siteId)).toEqual(rows.map(({ id }) => id));
		expect(logins()).toBe(1);
	});

	it('after an edit by the public API the next request runs as the new account', async () => {
		const fields = { ...unlimitedAccount(emulator.baseUrl), ...TRIAL };
		const whole = await n8n.editCredentialByApi(credential, { data: fields });
		// n8n 1.x cannot edit a credential by its public API.
		expect(whole).toBe(version.startsWith('1.') ? 405 : 200);
		if (whole !== 200) return;

		await expect(read(1001, 1002)).resolves.toEqual([1001, 1002]);
		expect(users()).toEqual([TRIAL.username, TRIAL.username]);

		emulator.reset();
		await n8n.editCredentialByApi(credential, { data: DEMO_ACCOUNT, isPartialData: true });
		await expect(read(1001, 1002)).resolves.toEqual([1001, 1002]);
		expect(users()).toEqual([DEMO_ACCOUNT.username, DEMO_ACCOUNT.username]);
	});

	it.each(['while it waits for the answer', 'once it has the answer'])(
		'n8n is killed during a login, %s, and starts again',
		async (moment) => {
			await n8n.editCredential(credential, { accessToken: '', tokenBinding: '' });
			const route = moment === 'while it waits for the answer' ? 'token' : 'site';
			emulator.fail({ route, times: 1, fault: { kind: 'hang' } });
			await n8n.restart();
			const lost = read(1001).catch(({ code }: { code: string }) => code);
			await until(() => emulator.journal.count(route) === 1);
			await n8n.restart('SIGKILL');

			await expect(lost).resolves.not.toEqual([1001]);
			await n8n.answersAt(WEBHOOK);
			await expect(burst()).resolves.toEqual(ALL_READ);
			expect(logins()).toBeLessThanOrEqual(2);
			await expect(n8n.countUnfinished()).resolves.toBe(0);
			await expect(n8n.testCredential(credential)).resolves.toMatchObject({ status: 'OK' });
		},
	);

	it.each([
		{ accessToken: 'garbage' },
		{ accessToken: 'two\r\nX-Lines: 1', tokenBinding: 'garbage' },
		{ accessToken: 42, tokenBinding: '{"account":null}' },
	])('a stored token that is garbage (%j) is replaced', async (garbage) => {
		await n8n.end();
		await n8n.writeCredential(credential, garbage);
		await n8n.restart();
		await n8n.answersAt(WEBHOOK);

		await expect(burst()).resolves.toEqual(ALL_READ);
		expect(logins()).toBe(1);

		await n8n.restart();
		await n8n.answersAt(WEBHOOK);
		await expect(read(1001)).resolves.toEqual([1001]);
		expect(logins()).toBe(1);
	});

	it('n8n has nothing to complain of', async () => {
		await expect(n8n.home.complaints()).resolves.toEqual([]);
	});
});
