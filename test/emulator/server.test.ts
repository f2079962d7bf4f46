import axios, { type AxiosInstance } from 'axios';
import { DEMO_ACCOUNT, Emulator, UNLIMITED } from '../../emulator/server';
import { madeUpSite, SITES } from '../../emulator/sites';

describe('the emulator', () => {
	let emulator: Emulator;
	let http: AxiosInstance;

	beforeAll(async () => {
		emulator = await Emulator.start(UNLIMITED);
		http = axios.create({
			baseURL: emulator.baseUrl,
			validateStatus: () => true,
			headers: {
				'Service-Version': '2023-01-01',
				'Content-Type': 'application/json',
				Connection: 'close',
			},
		});
	});
	afterAll(async () => await emulator.stop());
	beforeEach(() => emulator.reset());

	const login = async (body: unknown = DEMO_ACCOUNT, headers = {}) =>
		await http.post<{ access_token: string }>('/auth/token', body, { headers });
	const bearer = async () => ({ Authorization: `Bearer ${(await login()).data.access_token}` });

	it('keeps at least 20 sites, the odd ones among them', () => {
		expect(SITES.length).toBeGreaterThanOrEqual(20);
		expect(new Set(SITES.map(({ siteId }) => siteId)).size).toBe(SITES.length);
		for (const { info } of SITES) {
			const timeZone = info?.timezone ?? 'UTC';
			expect(() => new Intl.DateTimeFormat('en', { timeZone })).not.toThrow();
			expect(Math.abs(info?.latitude ?? 0)).toBeLessThanOrEqual(90);
			expect(Math.abs(info?.longitude ?? 0)).toBeLessThanOrEqual(180);
		}
	});

	it('exchanges username and password for the documented token', async () => {
		const { status, data } = await login();

		expect([status, data]).toEqual([
			200,
			{
				access_token: expect.stringMatching(/^eyJ[\w-]+\.[\w-]+\.[\w-]+$/) as unknown,
				expires_in: '3600',
				token_type: 'Bearer',
			},
		]);
	});

	it.each([
		[{ ...DEMO_ACCOUNT, password: 'x' }, {}, 401],
		[{ ...DEMO_ACCOUNT, username: '__proto__' }, {}, 401],
		['{', {}, 401],
		[DEMO_ACCOUNT, { 'Service-Version': 'latest' }, 400],
		[DEMO_ACCOUNT, { 'Service-Version': '2023-02-30' }, 400],
	])('refuses the login %j with %j', async (body, headers, status) => {
		expect((await login(body, headers)).status).toBe(status);
		expect(emulator.journal.exchanges).toBe(0);
	});

	it.each([
		['', ['siteId', 'siteName']],
		['?$include=info', ['siteId', 'siteName', 'info']],
		['?$include=units,info', ['siteId', 'siteName', 'info', 'units']],
		['?$include=other', ['siteId', 'siteName']],
	])('sends what %j asks for', async (query, fields) => {
		const { data } = await http.get(`/meta/sites/1001${query}`, { headers: await bearer() });

		expect(Object.keys(data as object)).toEqual(fields);
	});

	it.each([
		['/meta/sites/1', 404],
		['/meta/sites/x', 404],
	])('does not know %s', async (url, status) => {
		expect((await http.get(url, { headers: await bearer() })).status).toBe(status);
	});

	it('rejects a token that is missing, forged, ended or revoked', async () => {
		const headers = await bearer();
		const get = async (more: object) =>
			(await http.get('/meta/sites/1001', { headers: more })).status;

		expect(await get(headers)).toBe(200);
		expect(await get({})).toBe(401);
		expect(await get({ Authorization: 'Bearer x.y.z' })).toBe(401);
		emulator.tokens.revokeAll();
		expect(await get(headers)).toBe(401);
		emulator.tokens.settings.lifetimeSeconds = -1;
		expect(await get(await bearer())).toBe(401);
		emulator.tokens.settings.lifetimeSeconds = 3600;
	});

	it('makes up as many sites as a load needs', async () => {
		const crowded = await Emulator.start({ sites: [100_001, 100_002].map(madeUpSite) });
		const { data: token } = await http.post<{ access_token: string }>(
			`${crowded.baseUrl}/auth/token`,
			DEMO_ACCOUNT,
		);
		const headers = { Authorization: `Bearer ${token.access_token}` };
		const address = `${crowded.baseUrl}/meta/sites/100002?$include=units`;
		const { data } = await http.get<{ siteId: number; units: unknown[] }>(address, { headers });
		await crowded.stop();

		expect([data.siteId, data.units.length]).toEqual([100_002, 10]);
	});

	it('counts requests, exchanges and concurrency', async () => {
		emulator.settings.latencyMs = 20;
		await Promise.all([login(), login(), login()]);
		emulator.settings.latencyMs = 0;

		expect(emulator.journal).toMatchObject({ exchanges: 3, peakConcurrency: 3 });
		expect(emulator.journal.of('token')[0]).toMatchObject({
			method: 'POST',
			url: '/auth/token',
			body: JSON.stringify(DEMO_ACCOUNT),
			status: 200,
		});
	});

	it('has faults for one site, a number of times, and for a share of the requests', async () => {
		const headers = await bearer();
		const statuses = async (ids: number[]) => {
			const answers = ids.map(async (id) => await http.get(`/meta/sites/${id}`, { headers }));
			return (await Promise.all(answers)).map(({ status }) => status);
		};
		emulator.fail({
			route: 'site',
			siteId: 1002,
			times: 1,
			fault: { kind: 'status', status: 503 },
		});
		expect(await statuses([1001, 1002])).toEqual([200, 503]);
		expect(await statuses([1001, 1002])).toEqual([200, 200]);

		emulator.fail({ route: 'site', share: 0.5, fault: { kind: 'status', status: 500 } });
		const failed = (await statuses(Array<number>(200).fill(1001))).filter(
			(status) => status === 500,
		);
		expect(failed.length).toBeGreaterThan(50);
		expect(failed.length).toBeLessThan(150);
	});

	it('notes what it did to a request, which token it issued, and whether somebody waited for the answer', async () => {
		const headers = await bearer();
		emulator.fail({ route: 'site', times: 1, fault: { kind: 'truncated' } });
		emulator.fail({ route: 'site', times: 1, fault: { kind: 'trickle', msPerByte: 0 } });
		await expect(http.get('/meta/sites/1001', { headers })).rejects.toThrow('aborted');
		await http.get('/meta/sites/1002', { headers });

		expect(emulator.journal.of('token')).toMatchObject([
			{ issued: headers.Authorization.split(' ')[1], isCutOff: false },
		]);
		expect(emulator.journal.of('site')).toMatchObject([
			{ fault: { kind: 'truncated' }, isCutOff: true },
			{ fault: { kind: 'trickle' }, isCutOff: false },
		]);
	});
});
