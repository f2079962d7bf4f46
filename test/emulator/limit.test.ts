import axios, { type AxiosInstance, type AxiosResponse } from 'axios';
import { Emulator, UNLIMITED, type EmulatorSettings } from '../../emulator/server';

const ACCOUNTS = { olga: 'laks', nils: 'torsk' };

type Username = keyof typeof ACCOUNTS;

describe('the published limit', () => {
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
	beforeEach(() => {
		jest.spyOn(performance, 'now').mockReturnValue(0);
	});
	afterEach(async () => {
		jest.restoreAllMocks();
		await emulator.stop();
	});

	const at = (milliseconds: number) => jest.spyOn(performance, 'now').mockReturnValue(milliseconds);
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

	it('is 100 requests a minute, logins among them', async () => {
		await start();
		const token = await tokenOf();

		const statuses = await statusesOf(100, async () => await read(token));

		expect(statuses).toEqual([...Array<number>(99).fill(200), 429]);
		expect((await login()).status).toBe(429);
		expect(emulator.journal).toMatchObject({ exchanges: 1, refusals: 2 });
	});

	it('is none where it is 0', async () => {
		await start(UNLIMITED);
		const token = await tokenOf();

		const statuses = await statusesOf(150, async () => await read(token));

		expect(new Set(statuses)).toEqual(new Set([200]));
	});

	it('holds for any minute, whenever it begins', async () => {
		await start({ requestsPerMinute: 3 });
		const token = await tokenOf();
		const readAt = async (time: number) => {
			at(time);
			return (await read(token)).status;
		};

		expect(await readAt(30_000)).toBe(200);
		expect(await readAt(50_000)).toBe(200);
		expect(await readAt(59_999)).toBe(429);
		expect(await readAt(60_000)).toBe(200);
		expect(await readAt(89_999)).toBe(429);
		expect(await readAt(90_000)).toBe(200);
		expect(await readAt(109_999)).toBe(429);
		expect(await readAt(110_000)).toBe(200);
	});

	it('is not prolonged by requests that it refuses', async () => {
		await start({ requestsPerMinute: 1 });
		await login();
		at(59_000);
		expect(await statusesOf(5, login)).toEqual(Array(5).fill(429));

		at(60_000);
		expect((await login()).status).toBe(200);
	});

	it('may have another window', async () => {
		await start({ requestsPerMinute: 1, windowMs: 200 });
		await login();
		at(199);
		expect((await login()).status).toBe(429);
		at(200);
		expect((await login()).status).toBe(200);
	});

	it.each([false, true])('counts for each account apart (opaque tokens: %j)', async (opaque) => {
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
	});

	it('counts a token that is no longer accepted, and nothing for nobody', async () => {
		await start({ requestsPerMinute: 2 });
		const token = await tokenOf();
		emulator.tokens.revokeAll();

		expect(await statusesOf(2, async () => await read(token))).toEqual([401, 429]);
		expect(await statusesOf(3, async () => await read('of nobody'))).toEqual([401, 401, 401]);
		const senseless = async () => await http.post('/auth/token', '{');
		expect(await statusesOf(3, senseless)).toEqual([401, 401, 401]);
	});

	it('counts what is answered with another fault, and not what a fault refuses', async () => {
		await start({ requestsPerMinute: 2 });
		emulator.fail({ route: 'token', times: 1, fault: { kind: 'status', status: 503 } });
		emulator.fail({ route: 'token', times: 2, fault: { kind: 'status', status: 429 } });

		expect(await statusesOf(5, login)).toEqual([503, 429, 429, 200, 429]);
		expect(emulator.journal.refusals).toBe(3);
	});

	it('leaves a fault to the first request that it does not refuse', async () => {
		await start({ requestsPerMinute: 1 });
		await login();
		emulator.fail({ route: 'token', times: 1, fault: { kind: 'status', status: 503 } });

		expect(await statusesOf(1, login)).toEqual([429]);
		at(60_000);
		expect(await statusesOf(1, login)).toEqual([503]);
	});

	it('may change while the emulator runs', async () => {
		await start({ requestsPerMinute: 3 });
		expect(await statusesOf(3, login)).toEqual([200, 200, 200]);
		emulator.settings.requestsPerMinute = 1;
		at(10_000);
		expect((await login()).headers['retry-after']).toBe('50');

		emulator.settings.requestsPerMinute = 4;
		expect(await statusesOf(2, login)).toEqual([200, 429]);
	});

	it('is forgotten by a reset', async () => {
		await start({ requestsPerMinute: 1 });
		expect(await statusesOf(2, login)).toEqual([200, 429]);
		emulator.reset();

		expect(await statusesOf(2, login)).toEqual([200, 429]);
	});

	describe('a refusal', () => {
		it('says when the oldest request leaves the window, in whole seconds', async () => {
			await start({ requestsPerMinute: 2 });
			at(4_000);
			await login();
			at(10_000);
			await login();
			const secondsAt = async (time: number) => {
				at(time);
				return (await login()).headers['retry-after'] as string;
			};

			expect(await secondsAt(10_000)).toBe('54');
			expect(await secondsAt(10_001)).toBe('54');
			expect(await secondsAt(11_000)).toBe('53');
			expect(await secondsAt(63_999)).toBe('1');
			at(64_000);
			expect((await login()).status).toBe(200);
			expect(await secondsAt(64_000)).toBe('6');
		});

		it.each([
			[false, undefined],
			[7, '7'],
			[0, '0'],
		])('says with retryAfter %j: %j', async (retryAfter, header) => {
			await start({ requestsPerMinute: 1, retryAfter });
			await login();
			const { status, headers } = await login();

			expect([status, headers['retry-after']]).toEqual([429, header]);
		});
	});

	describe('a ban', () => {
		it('comes after as many refusals as are set, and ends with a reset', async () => {
			await start({ requestsPerMinute: 2, banAfter: 3 });
			const token = await tokenOf();
			const other = await tokenOf('nils');
			await read(token);

			expect(await statusesOf(3, async () => await read(token))).toEqual([429, 429, 429]);
			expect(emulator.journal.bans).toEqual(['olga']);
			at(3_600_000);
			for (const refused of [await read(token), await login()]) {
				expect(refused).toMatchObject({ status: 403, data: { code: 'integration_banned' } });
				expect(refused.headers).not.toHaveProperty('retry-after');
			}
			expect((await read(other)).status).toBe(200);
			expect(emulator.journal.bans).toEqual(['olga']);
			expect(emulator.journal.refusals).toBe(3);

			emulator.journal.clear();
			expect((await read(token)).status).toBe(403);
			emulator.reset();
			expect((await read(token)).status).toBe(200);
			expect(emulator.journal.bans).toEqual([]);
		});

		it('counts refusals by faults, and refusals of other minutes', async () => {
			await start({ requestsPerMinute: 1, banAfter: 3 });
			emulator.fail({ route: 'token', times: 1, fault: { kind: 'status', status: 429 } });
			expect(await statusesOf(3, login)).toEqual([429, 200, 429]);
			at(60_000);

			expect(await statusesOf(3, login)).toEqual([200, 429, 403]);
		});

		it('does not come where none is set', async () => {
			await start({ requestsPerMinute: 1 });

			expect(await statusesOf(30, login)).toEqual([200, ...Array<number>(29).fill(429)]);
		});
	});
});
