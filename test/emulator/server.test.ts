import axios, { type AxiosInstance } from 'axios';
import type { Fault } from '../../emulator/faults';
import { DEMO_ACCOUNT, Emulator, UNLIMITED } from '../../emulator/server';

const VERSION = { 'Service-Version': '2023-01-01' };
const TRACE_ID = /^00-[\da-f]{32}-[\da-f]{16}-01$/;

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

const login = async (body: unknown = DEMO_ACCOUNT, headers: object = VERSION) =>
	await http.post<{ access_token: string; traceId: string }>('/auth/token', body, { headers });
const signed = async () => ({
	...VERSION,
	Authorization: `Bearer ${(await login()).data.access_token}`,
});
const get = async (url: string, headers: object) => await http.get<unknown>(url, { headers });

it('the emulator has faults for one site and a number of times', async () => {
	const headers = await signed();
	const statuses = async (ids: number[]) => {
		const answers = ids.map(async (id) => await get(`/meta/sites/${id}`, headers));
		return (await Promise.all(answers)).map(({ status }) => status);
	};
	const fault: Fault = { kind: 'status', status: 503 };
	emulator.fail({ route: 'site', siteId: 1002, times: 1, fault });
	expect(await statuses([1001, 1002])).toEqual([200, 503]);
	expect(await statuses([1001, 1002])).toEqual([200, 200]);
});

it('the emulator notes what it did to a request, which token it issued, and whether somebody waited for the answer', async () => {
	const headers = await signed();
	emulator.fail({ route: 'site', times: 1, fault: { kind: 'truncated' } });
	emulator.fail({ route: 'site', times: 1, fault: { kind: 'trickle', msPerByte: 0 } });
	await expect(get('/meta/sites/1001', headers)).rejects.toThrow('aborted');
	await get('/meta/sites/1002', headers);

	expect(emulator.journal.of('token')).toMatchObject([
		{ issued: headers.Authorization.split(' ')[1], isCutOff: false },
	]);
	expect(emulator.journal.of('site')).toMatchObject([
		{ fault: { kind: 'truncated' }, isCutOff: true },
		{ fault: { kind: 'trickle' }, isCutOff: false },
	]);
});

const long = 'x'.repeat(2 ** 21);
const wrong = { ...DEMO_ACCOUNT, password: 'x' };
const header = { header: 'Service-Version' };
it.each<[string, number, string, () => Promise<{ status: number; data: unknown }>, object?]>([
	['no version', 400, 'version_missing', async () => await login(wrong, {}), header],
	[
		'a version that is no date',
		400,
		'version_not_supported',
		async () => await login(DEMO_ACCOUNT, { 'Service-Version': '2023-02-30' }),
		header,
	],
	[
		'a version that is too old',
		400,
		'version_not_supported',
		async () => await login(DEMO_ACCOUNT, { 'Service-Version': '2022-12-31' }),
		header,
	],
	['a wrong password', 401, 'unauthorized', async () => await login(wrong)],
	[
		'a name that every object has',
		401,
		'unauthorized',
		async () => await login({ ...wrong, username: '__proto__' }),
	],
	['a login that is not JSON', 401, 'unauthorized', async () => await login('{')],
	['no token', 401, 'unauthorized', async () => await get('/meta/sites/1001', VERSION)],
	[
		'a token of another issuer',
		401,
		'unauthorized',
		async () => await get('/meta/sites/1001', { ...VERSION, Authorization: 'Bearer x.y.z' }),
	],
	[
		'an unknown site',
		404,
		'entity_not_found',
		async () => await get('/meta/sites/1', await signed()),
		{ siteId: 1 },
	],
	['an unknown path', 404, 'not_found', async () => await http.post('/elsewhere')],
	[
		'an address that cannot be read',
		400,
		'bad_request',
		async () => await get('/meta/sites/%zz', await signed()),
	],
	['a body that is too long', 413, 'payload_too_large', async () => await login(long)],
])(
	'an unsuccessful answer of the emulator for %s has status %d and the published body: %s',
	async (...row) => {
		const [, status, code, send, details] = row;
		const { headers, ...answer } = (await send()) as Awaited<ReturnType<typeof login>>;

		expect(answer).toMatchObject({ status, data: { code } });
		expect(answer.data).toEqual({
			code,
			message: expect.stringMatching(/^[A-Z].+\.$/) as unknown,
			traceId: expect.stringMatching(TRACE_ID) as unknown,
			...(details && { details }),
		});
		expect(headers['content-type']).toMatch(/^application\/json\b/);
		const { traceId } = answer.data;
		expect(emulator.journal.requests.at(-1)).toMatchObject({ status, traceId });
	},
);

it('an unsuccessful answer of the emulator says why a token is not accepted with the status that is set for it', async () => {
	emulator.settings.rejection = 403;
	const { status, data } = await get('/meta/sites/1001', VERSION);
	emulator.settings.rejection = 401;

	expect([status, data]).toMatchObject([403, { code: 'forbidden' }]);
});

it.each([
	[429, 'too_many_requests'],
	[499, 'status_499'],
])(
	'an unsuccessful answer of the emulator for a fault with status %d has the published body, too: %s',
	async (status, code) => {
		emulator.fail({ route: 'token', fault: { kind: 'status', status, headers: { x: 'y' } } });

		const { data, headers, ...answer } = await login();

		expect([answer.status, data, headers.x]).toMatchObject([status, { code }, 'y']);
		expect(emulator.journal.requests).toMatchObject([{ traceId: data.traceId }]);
	},
);

it.each<[string, Fault]>([
	['', { kind: 'status', status: 503, body: '' }],
	['gone', { kind: 'status', status: 503, body: 'gone' }],
	['', { kind: 'status', status: 302, headers: { location: '/' } }],
])('an unsuccessful answer of the emulator has the body %j for %j', async (body, fault) => {
	emulator.fail({ route: 'token', fault });

	const { data, headers } = await login();

	expect([data, headers['content-type']]).toEqual([body, undefined]);
	expect(emulator.journal.requests[0]).not.toHaveProperty('traceId');
});
