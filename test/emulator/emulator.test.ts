import axios, { type AxiosInstance } from 'axios';
import { x } from 'tinyexec';
import { Control } from '../../emulator/control';
import { DEMO_ACCOUNT, Emulator, type EmulatorSettings } from '../../emulator/server';
import { SITES, type StoredSite } from '../../emulator/sites';
import { useFakeTime } from '../../testbed/engine/fakeTime';

const VERSION = { 'Service-Version': '2023-01-01' };

const PUBLISHED = {
	code: expect.stringMatching(/^[a-z_]+$/) as string,
	message: expect.stringMatching(/^[A-Z].+\.$/) as string,
	traceId: expect.stringMatching(/^00-[\da-f]{32}-[\da-f]{16}-01$/) as string,
};
const traceIdOf = (data: unknown) => ({ traceId: (data as { traceId: string }).traceId });

let emulator: Emulator;
let http: AxiosInstance;

const start = async (settings: Partial<EmulatorSettings> = {}) => {
	emulator = await Emulator.start(settings);
	http = axios.create({
		baseURL: emulator.baseUrl,
		validateStatus: () => true,
		headers: { 'Content-Type': 'application/json', Connection: 'close' },
	});
};
afterEach(async () => await emulator.stop());

const login = async (account: unknown = DEMO_ACCOUNT, headers: object = VERSION) =>
	await http.post<{ access_token: string }>('/auth/token', account, { headers });
const signed = async () => ({
	...VERSION,
	Authorization: `Bearer ${(await login()).data.access_token}`,
});
const get = async (url: string, headers: object) => await http.get<StoredSite>(url, { headers });

describe('the documented endpoints', () => {
	beforeEach(async () => await start());

	it('answer a login with a token', async () => {
		const { status, data } = await login();

		expect([status, data]).toEqual([
			200,
			{ access_token: expect.any(String) as string, expires_in: '3600', token_type: 'Bearer' },
		]);
	});

	it.each([
		['', ['siteId', 'siteName']],
		['?$include=info', ['siteId', 'siteName', 'info']],
		['?$include=units', ['siteId', 'siteName', 'units']],
		['?$include=units,info', ['siteId', 'siteName', 'info', 'units']],
	])('answer the query %j with the fields %j', async (query, fields) => {
		const { status, data } = await get(`/meta/sites/1001${query}`, await signed());

		expect([status, Object.keys(data)]).toEqual([200, fields]);
		expect(SITES[0]).toMatchObject(data);
	});

	const wrong = { ...DEMO_ACCOUNT, password: 'x' };
	it.each<[string, number, () => Promise<{ status: number; data: unknown }>]>([
		['no version', 400, async () => await login(DEMO_ACCOUNT, {})],
		[
			'a version that ended',
			400,
			async () => await login(DEMO_ACCOUNT, { 'Service-Version': '2022-12-31' }),
		],
		['a wrong password', 401, async () => await login(wrong)],
		['a login that is not JSON', 401, async () => await login('{')],
		['no token', 401, async () => await get('/meta/sites/1001', VERSION)],
		[
			'an unknown token',
			401,
			async () => await get('/meta/sites/1001', { ...VERSION, Authorization: 'Bearer x.y.z' }),
		],
		['an unknown site', 404, async () => await get('/meta/sites/1', await signed())],
		['an unknown path', 404, async () => await http.post('/elsewhere')],
	])('answer %s with status %d and the published body', async (_what, expected, send) => {
		const { status, data } = await send();

		expect([status, data]).toMatchObject([expected, PUBLISHED]);
	});

	it.each([403, 422, 429, 500])(
		'answer with status %d and the published body on demand',
		async (status) => {
			emulator.fail({ route: 'token', times: 1, fault: { kind: 'status', status } });
			const { data, ...answer } = await login();

			expect([answer.status, data]).toMatchObject([status, PUBLISHED]);
			expect(emulator.journal.requests).toMatchObject([{ status, ...traceIdOf(data) }]);
			expect((await login()).status).toBe(200);
		},
	);
});

describe('the emulated rate limit', () => {
	const { advance } = useFakeTime();

	it('allows 100 requests a minute per account, and sends Retry-After with a 429', async () => {
		await start({ accounts: { [DEMO_ACCOUNT.username]: DEMO_ACCOUNT.password, nils: 'torsk' } });
		const headers = await signed();
		const read = async () => await get('/meta/sites/1001', headers);
		for (let sent = 1; sent < 100; sent++) expect((await read()).status).toBe(200);

		const refused = await read();
		expect([refused.status, Number(refused.headers['retry-after'])]).toEqual([429, 60]);
		expect((await login({ username: 'nils', password: 'torsk' })).status).toBe(200);
		await advance(59_000);
		expect((await read()).status).toBe(429);
		await advance(1_000);
		expect((await read()).status).toBe(200);

		const { journal } = emulator;
		expect([journal.countRateLimited(), journal.countRateLimited('nils')]).toEqual([2, 0]);
		expect([journal.maxPerMinute(), journal.maxPerMinute('nils')]).toEqual([103, 1]);
	});
});

describe('the control server of the emulator', () => {
	let control: Control;

	beforeEach(async () => {
		await start();
		control = await Control.start(emulator);
	});
	afterEach(async () => await control.stop());

	/** Runs the printed command with another change. */
	const change = async (patch: string) => {
		const { stdout } = await x('sh', ['-c', control.example.replace(/'.*'/, `'${patch}'`)]);
		return JSON.parse(stdout) as unknown;
	};

	it('changes a site with the command that it prints', async () => {
		await x('sh', ['-c', control.example]);
		await change('{"units":[{"unitId":1}],"info":{"code":null}}');

		const { data } = await get('/meta/sites/1001?$include=units,info', await signed());
		const { code, ...info } = SITES[0]?.info ?? {};
		expect(code).toBeDefined();
		expect(data).toEqual({
			...SITES[0],
			info: { ...info, license: 'M-H-0202' },
			units: [{ unitId: 1 }],
		});
	});

	it.each([
		['{"info":', expect.stringContaining('JSON')],
		['{"info":{"license":7}}', "'info.license' is not text"],
		['{"siteId":1002}', expect.stringContaining('1002')],
	])('refuses the change %s', async (patch, message) => {
		expect(await change(patch)).toEqual({ message });
		expect([...emulator.sites.values()]).toEqual(SITES);
	});
});
