import axios, { type AxiosInstance, type AxiosResponse } from 'axios';
import { Emulator, type EmulatorSettings } from '../../emulator/server';
import { jumpingTime } from '../../testbed/engine/jumpingTime';

const ACCOUNTS = { olga: 'laks', nils: 'torsk' };

type Username = keyof typeof ACCOUNTS;

let emulator: Emulator;
let http: AxiosInstance;

const start = async (settings: Partial<EmulatorSettings> = {}) => {
	emulator = await Emulator.start({ accounts: { ...ACCOUNTS }, ...settings });
	http = axios.create({
		baseURL: emulator.baseUrl,
		validateStatus: () => true,
		headers: {
			'Service-Version': '2023-01-01',
			'Content-Type': 'application/json',
			Connection: 'close',
		},
	});
};
const { wait } = jumpingTime();
let beganAt: number;
beforeEach(() => (beganAt = performance.now()));
afterEach(async () => await emulator.stop());

/** Lets time jump to this many milliseconds after the beginning. */
const reach = async (milliseconds: number) =>
	await wait(milliseconds - (performance.now() - beganAt));
const login = async (username: Username = 'olga') =>
	await http.post<{ access_token: string }>('/auth/token', {
		username,
		password: ACCOUNTS[username],
	});
const tokenOf = async (username?: Username) => (await login(username)).data.access_token;
const read = async (token: string) =>
	await http.get<unknown>('/meta/sites/1001', { headers: { Authorization: `Bearer ${token}` } });
/** What comes of these requests, one after the other. */
const statusesOf = async (count: number, request: () => Promise<AxiosResponse>) => {
	const statuses: number[] = [];
	for (let sent = 0; sent < count; sent++) statuses.push((await request()).status);
	return statuses;
};

it('the published limit is 100 requests a minute, logins among them', async () => {
	await start();
	const token = await tokenOf();

	const statuses = await statusesOf(100, async () => await read(token));

	expect(statuses).toEqual([...Array<number>(99).fill(200), 429]);
	expect((await login()).status).toBe(429);
	expect(emulator.journal.refusals).toBe(2);
});

it('the published limit holds for any minute, whenever it begins, and is not prolonged by what it refuses', async () => {
	await start({ requestsPerMinute: 3 });
	const statuses: Array<[time: number, status: number]> = [
		[0, 200],
		[30_000, 200],
		[50_000, 200],
		[59_999, 429],
		[60_000, 200],
		[89_999, 429],
		[90_000, 200],
		[109_999, 429],
		[110_000, 200],
	];

	for (const [time, status] of statuses) {
		await reach(time);
		expect([time, (await login()).status]).toEqual([time, status]);
	}
});

it.each([false, true])(
	'the published limit counts for each account apart (opaque tokens: %j)',
	async (opaque) => {
		await start({ requestsPerMinute: 2, token: { lifetimeSeconds: 3600, opaque } });
		const [olga, nils] = [await tokenOf('olga'), await tokenOf('nils')];

		expect(await statusesOf(2, async () => await read(olga))).toEqual([200, 429]);
		expect(await statusesOf(2, async () => await read(nils))).toEqual([200, 429]);
		expect(emulator.journal.requests.map(({ account }) => account)).toEqual([
			'olga',
			'nils',
			'olga',
			'olga',
			'nils',
			'nils',
		]);
	},
);

it('the published limit says when the oldest request leaves the window, in whole seconds', async () => {
	await start({ requestsPerMinute: 1 });
	await reach(4_000);
	await login();
	const seconds: Array<[time: number, header: string | undefined]> = [
		[4_000, '60'],
		[4_001, '60'],
		[5_000, '59'],
		[63_999, '1'],
		[64_000, undefined],
	];

	for (const [time, header] of seconds) {
		await reach(time);
		expect([time, (await login()).headers['retry-after']]).toEqual([time, header]);
	}
});

it.each([
	[false, undefined],
	[7, '7'],
	[0, '0'],
])('the published limit says with retryAfter %j: %j', async (retryAfter, header) => {
	await start({ requestsPerMinute: 1, retryAfter });
	await login();
	const { status, headers } = await login();

	expect([status, headers['retry-after']]).toEqual([429, header]);
});

it('the published limit bans an account after as many refusals as are set, those of faults and other minutes too, until a reset', async () => {
	await start({ requestsPerMinute: 2, banAfter: 3 });
	emulator.fail({ route: 'token', times: 1, fault: { kind: 'status', status: 429 } });
	expect(await statusesOf(4, login)).toEqual([429, 200, 200, 429]);
	const other = await tokenOf('nils');
	await reach(60_000);
	const token = await tokenOf();

	expect(await statusesOf(2, async () => await read(token))).toEqual([200, 429]);
	expect(emulator.journal.bans).toEqual(['olga']);
	await reach(3_000_000);
	for (const refused of [await read(token), await login()]) {
		expect(refused).toMatchObject({ status: 403, data: { code: 'integration_banned' } });
		expect(refused.headers).not.toHaveProperty('retry-after');
	}
	expect((await read(other)).status).toBe(200);
	expect([emulator.journal.bans, emulator.journal.refusals]).toEqual([['olga'], 3]);

	emulator.reset();
	expect((await read(token)).status).toBe(200);
	expect(emulator.journal.bans).toEqual([]);
});
