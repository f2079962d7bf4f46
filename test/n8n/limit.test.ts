import axios from 'axios';
import { Emulator } from '../../emulator/server';
import { madeUpSite } from '../../emulator/sites';
import { VERSIONS } from '../../testbed/n8n/install';
import { hintsOf, itemsOf, N8nInstance } from '../../testbed/n8n/instance';
import { until } from '../../testbed/wait';
import { shareStage } from '../../testbed/jest/shareStage';
import {
	credentialsOf,
	getSiteNode,
	httpRequestNode,
	manualWorkflow,
	NODE_TYPE,
	triggerWorkflow,
} from '../../testbed/workflows';

const MINUTE = 60_000;
/** Nothing here takes longer. */
const LONGEST = 4 * MINUTE;

jest.setTimeout(LONGEST);

const PASSWORD = 'fjord-and-salmon';
/** The account of each test. */
const ACCOUNTS = ['list', 'twice', 'request', 'shared', 'trigger'] as const;
type Account = (typeof ACCOUNTS)[number];

const idsOf = (count: number) => Array.from({ length: count }, (_, index) => 5001 + index);

/** The tests run side by side: each of them waits for minutes. */
describe.each(VERSIONS)('a service that takes 100 requests a minute, in n8n %s', (version) => {
	const stage = shareStage();
	let emulator: Emulator;
	let n8n: N8nInstance;

	beforeAll(async () => {
		emulator = await stage.keep(
			Emulator.start({
				accounts: Object.fromEntries(ACCOUNTS.map((account) => [account, PASSWORD])),
				banAfter: 40,
				latencyMs: 50,
				latencyJitter: 0.4,
				requestsPerMinute: 100,
				sites: idsOf(150).map(madeUpSite),
			}),
		);
		n8n = await N8nInstance.start(stage, version);
	}, LONGEST);

	/** n8n 1.123 answers with 500 where it is to write two things at the same moment. */
	let lastWrite: Promise<unknown> = Promise.resolve();
	const inTurn = async <T>(write: () => Promise<T>): Promise<T> => {
		const turn = lastWrite.then(write);
		lastWrite = turn.catch(() => undefined);
		return await turn;
	};

	/** A credential with the limit that n8n fills in. */
	const credentialOf = async (username: Account) =>
		await inTurn(
			async () =>
				await n8n.createCredential({ baseUrl: emulator.baseUrl, username, password: PASSWORD }),
		);
	const create = async (workflow: Parameters<typeof n8n.createWorkflow>[0]) =>
		await inTurn(async () => await n8n.createWorkflow(workflow));
	const run = async (workflow: string) =>
		await n8n.finished(await inTurn(async () => await n8n.startManually(workflow)), LONGEST);
	const manySites = async (username: Account, count: number) =>
		await create(
			manualWorkflow([{}], {
				type: NODE_TYPE,
				credentials: credentialsOf(await credentialOf(username)),
				parameters: { operation: 'getManySites', siteIds: idsOf(count).join() },
			}),
		);
	const idsIn = (execution: Parameters<typeof itemsOf>[0]) =>
		itemsOf(execution, 'Node').map(({ json }) => json.siteId);
	const requestsOf = (username: Account) =>
		emulator.journal.requests.filter(({ account }) => account === username);
	/** Milliseconds from the first request of an account to its last one. */
	const timeOf = (username: Account) => {
		const times = requestsOf(username).map(({ receivedAt }) => receivedAt);
		return Math.max(...times) - Math.min(...times);
	};

	it.concurrent('130 sites arrive in a minute and little more, and n8n shows why', async () => {
		const execution = await run(await manySites('list', 130));

		expect(idsIn(execution)).toEqual(idsOf(130));
		expect(emulator.journal.refusalsOf('list')).toBe(0);
		expect(emulator.journal.requestsOf('list')).toBe(131);
		expect(timeOf('list')).toBeGreaterThan(MINUTE);
		expect(timeOf('list')).toBeLessThan(1.25 * MINUTE);
		expect(hintsOf(execution, 'Node')).toEqual([
			expect.stringMatching(
				/^The service takes 100 requests a minute, so 130 sites took 6\d seconds$/,
			),
		]);
	});

	it.concurrent('two executions of 80 sites at once get them all', async () => {
		const rows = idsOf(80).map((id) => ({ id }));
		const node = getSiteNode(await credentialOf('twice'));
		const workflow = await create(manualWorkflow(rows, node));

		const executions = await Promise.all([run(workflow), run(workflow)]);

		expect(executions.map(idsIn)).toEqual([idsOf(80), idsOf(80)]);
		expect(emulator.journal.refusalsOf('twice')).toBe(0);
		expect(emulator.journal.requestsOf('twice')).toBe(161);
		expect(timeOf('twice')).toBeLessThan(1.25 * MINUTE);
	});

	it.concurrent('130 items of the HTTP Request node with the credential arrive', async () => {
		const rows = idsOf(130).map((id) => ({ url: `${emulator.baseUrl}/meta/sites/${id}` }));
		const node = httpRequestNode(await credentialOf('request'));

		const execution = await run(await create(manualWorkflow(rows, node)));

		expect(idsIn(execution)).toEqual(idsOf(130));
		expect(emulator.journal.refusalsOf('request')).toBe(0);
		expect(emulator.journal.requestsOf('request')).toBe(131);
	});

	it.concurrent('60 sites arrive although somebody else uses the account', async () => {
		await sendAsSomebodyElse('shared', 70);

		const execution = await run(await manySites('shared', 60));

		expect(idsIn(execution)).toEqual(idsOf(60));
		// Those that were under way when the first one was refused.
		expect(emulator.journal.refusalsOf('shared')).toBeGreaterThan(0);
		expect(emulator.journal.refusalsOf('shared')).toBeLessThanOrEqual(20);
		expect(hintsOf(execution, 'Node')).toEqual([
			expect.stringMatching(/^The service refused \d+ requests because .* so 60 sites took /),
		]);
	});

	it.concurrent(
		'a trigger reads 150 sites in four polls, and leaves half of the limit',
		async () => {
			const workflow = await create(
				triggerWorkflow('Many sites', await credentialOf('trigger'), {
					pollTimes: { item: [{ mode: 'everyMinute' }] },
					siteIds: idsOf(150).join(),
				}),
			);
			const asked = () =>
				new Set(
					requestsOf('trigger')
						.filter(({ route }) => route === 'site')
						.map(({ url }) => url),
				);

			// The activation is a poll as well. A poll may take half a minute.
			await expect(inTurn(async () => await n8n.activate(workflow))).resolves.toBeUndefined();
			await until(() => asked().size === 150, 3.5 * MINUTE);

			expect(emulator.journal.refusalsOf('trigger')).toBe(0);
			// Beside the login.
			expect(emulator.journal.busiestMinute('trigger')).toBeLessThanOrEqual(50 + 1);
			const statuses = (await n8n.executionsOf(workflow)).map(({ status }) => status);
			expect(statuses.filter((status) => status !== 'success')).toEqual([]);
			const told = (await n8n.home.log()).match(/so 150 sites are not all read at each poll/g);
			expect(told).toHaveLength(1);
		},
	);

	it('nobody has been banned, and n8n has nothing to complain of', async () => {
		expect(emulator.journal.bans).toEqual([]);
		await expect(n8n.home.complaints()).resolves.toEqual([]);
	});

	const sendAsSomebodyElse = async (username: Account, count: number) => {
		const { baseUrl, settings } = emulator;
		const client = axios.create({
			baseURL: baseUrl,
			headers: { [settings.versionHeader]: '2025-01-01', 'Content-Type': 'application/json' },
		});
		const { data } = await client.post<{ access_token: string }>('/auth/token', {
			username,
			password: PASSWORD,
		});
		const headers = { Authorization: `Bearer ${data.access_token}` };
		await Promise.all(
			idsOf(count).map(async (id) => await client.get(`/meta/sites/${id}`, { headers })),
		);
	};
});
