import axios, { type AxiosInstance } from 'axios';
import type { Fault } from '../../emulator/faults';
import { DEMO_ACCOUNT, Emulator, UNLIMITED } from '../../emulator/server';

const TRACE_ID = /^00-[\da-f]{32}-[\da-f]{16}-01$/;

describe('an unsuccessful answer', () => {
	let emulator: Emulator;
	let http: AxiosInstance;

	beforeAll(async () => {
		emulator = await Emulator.start(UNLIMITED);
		http = axios.create({
			baseURL: emulator.baseUrl,
			validateStatus: () => true,
			maxRedirects: 0,
			headers: { 'Content-Type': 'application/json', Connection: 'close' },
		});
	});
	afterAll(async () => await emulator.stop());
	beforeEach(() => emulator.reset());

	const VERSION = { 'Service-Version': '2023-01-01' };
	const bearer = async () => {
		const { data } = await http.post<{ access_token: string }>('/auth/token', DEMO_ACCOUNT, {
			headers: VERSION,
		});
		return { ...VERSION, Authorization: `Bearer ${data.access_token}` };
	};
	const login = async (headers: object, body: unknown = DEMO_ACCOUNT) =>
		await http.post<unknown>('/auth/token', body, { headers });
	const get = async (url: string, headers: object) => await http.get<unknown>(url, { headers });

	it.each<[string, number, string, () => Promise<{ status: number; data: unknown }>]>([
		['no version', 400, 'version_missing', async () => await login({})],
		[
			'a version that is none',
			400,
			'version_not_supported',
			async () => await login({ 'Service-Version': 'latest' }),
		],
		['a wrong password', 401, 'unauthorized', async () => await login(VERSION, {})],
		['no token', 401, 'unauthorized', async () => await get('/meta/sites/1001', VERSION)],
		[
			'an unknown site',
			404,
			'entity_not_found',
			async () => await get('/meta/sites/1', await bearer()),
		],
		['an unknown path', 404, 'not_found', async () => await http.post('/elsewhere')],
		[
			'an address that cannot be read',
			400,
			'bad_request',
			async () => await get('/meta/sites/%zz', await bearer()),
		],
		[
			'a body that is too long',
			413,
			'payload_too_large',
			async () => await login(VERSION, 'x'.repeat(2 ** 21)),
		],
	])('for %s has status %d and the published body: %s', async (_what, status, code, send) => {
		const answer = await send();
		const { headers } = answer as unknown as { headers: Record<string, string> };

		expect(answer).toMatchObject({
			status,
			data: {
				code,
				message: expect.stringMatching(/^[A-Z].+\.$/) as unknown,
				traceId: expect.stringMatching(TRACE_ID) as unknown,
			},
		});
		expect(headers['content-type']).toMatch(/^application\/json\b/);
		expect(emulator.journal.requests.at(-1)).toMatchObject({
			status,
			traceId: (answer.data as { traceId: string }).traceId,
		});
	});

	it('says why a token is not accepted with the status that is set for it', async () => {
		emulator.settings.rejection = 403;
		const { status, data } = await get('/meta/sites/1001', VERSION);
		emulator.settings.rejection = 401;

		expect([status, data]).toMatchObject([403, { code: 'forbidden' }]);
	});

	it('may have details', async () => {
		expect((await login({})).data).toMatchObject({ details: { header: 'Service-Version' } });
		expect((await get('/meta/sites/1', await bearer())).data).toMatchObject({
			details: { siteId: 1 },
		});
		expect((await http.post('/elsewhere')).data).not.toHaveProperty('details');
	});

	it.each([
		[400, 'bad_request'],
		[401, 'unauthorized'],
		[403, 'forbidden'],
		[404, 'not_found'],
		[418, 'i_m_a_teapot'],
		[422, 'unprocessable_entity'],
		[429, 'too_many_requests'],
		[499, 'status_499'],
		[500, 'internal_server_error'],
		[503, 'service_unavailable'],
	])('of a fault with status %d has the published body, too: %s', async (status, code) => {
		emulator.fail({ route: 'token', fault: { kind: 'status', status, headers: { x: 'y' } } });

		const answer = await login(VERSION);
		const { data, headers } = answer;

		expect(answer).toMatchObject({ status, data: { code } });
		expect([headers.x, headers['content-type']]).toEqual([
			'y',
			expect.stringMatching(/^application\/json/),
		]);
		expect(emulator.journal.requests).toMatchObject([
			{ traceId: (data as { traceId: string }).traceId },
		]);
	});

	it.each<[string, Fault]>([
		['', { kind: 'status', status: 503, body: '' }],
		['gone', { kind: 'status', status: 503, body: 'gone' }],
		['', { kind: 'status', status: 204 }],
		['', { kind: 'status', status: 302, headers: { location: '/' } }],
	])('has the body %j for %j', async (body, fault) => {
		emulator.fail({ route: 'token', fault });

		const { data, headers } = await login(VERSION);

		expect([data, headers['content-type']]).toEqual([body, undefined]);
		expect(emulator.journal.requests[0]).not.toHaveProperty('traceId');
	});

	it('has a traceId of its own each time', async () => {
		for (let sent = 0; sent < 5; sent++) await login({});

		expect(new Set(emulator.journal.requests.map(({ traceId }) => traceId)).size).toBe(5);
	});
});
