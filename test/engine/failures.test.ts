import { createServer as createTcpServer, type AddressInfo, type Server } from 'node:net';
import type { Fault } from '../../emulator/faults';
import { Rig, shareRig } from '../../testbed/engine/rig';

const LEVELS = 4900;
/** A site with a field that is nested deep, short enough to be kept whole. */
const NESTED = `{"siteId":1001,"new":${'['.repeat(LEVELS)}${']'.repeat(LEVELS)}}`;

const OPERATOR = expect.stringContaining('operator') as unknown;

describe('an answer or a connection that fails', () => {
	let rig: Rig;

	shareRig((started) => {
		rig = started;
	});

	const status = (code: number, headers: Record<string, string> = {}): Fault => ({
		kind: 'status',
		status: code,
		headers,
		body: '{"hint":"only for people"}',
	});
	const body = (text: string): Fault => ({ kind: 'body', body: text });

	it.each<[Fault, string, string]>([
		[status(400), 'The service did not accept the request for site 1001', '400'],
		[status(401), 'The service does not let this account read site 1001', '401'],
		[status(403), 'This account may not read site 1001', '403'],
		[status(404), 'The service does not know site 1001', '404'],
		[status(408), 'The service waited too long for the request for site 1001', '408'],
		[status(418), 'The service answered the request for site 1001 with status 418', '418'],
		[status(422), 'The service could not carry out the request for site 1001', '422'],
		[status(500), 'The service could not answer the request for site 1001 (status 500)', '500'],
		[status(503), 'The service could not answer the request for site 1001 (status 503)', '503'],
		[
			status(302, { location: 'https://elsewhere.example.com/x' }),
			'The service pointed to another address for site 1001: https://elsewhere.example.com/x',
			'302',
		],
	])('%j: %s', async (fault, message, httpCode) => {
		rig.emulator.fail({ route: 'site', fault });

		const { error, items } = await rig.run({ options: { maxTries: 1 } });

		expect(items).toEqual([]);
		expect(error).toMatchObject({
			name: 'NodeApiError',
			message,
			httpCode,
			description: expect.stringMatching(/\S/) as unknown,
			context: { itemIndex: 0, data: { hint: 'only for people' } },
		});
	});

	it.each([
		[{ 'retry-after': '7' }, 'for 7 seconds'],
		[
			{
				'retry-after': 'Wed, 21 Oct 2099 07:28:00 GMT',
				date: 'Wed, 21 Oct 2099 07:18:00 GMT',
			},
			'for 10 minutes',
		],
	])('says how long to wait after 503 with %j', async (headers, wait) => {
		rig.emulator.fail({ route: 'site', fault: status(503, headers) });

		const { error } = await rig.run({ options: { maxTries: 1 } });

		expect(error?.description).toContain(`The service asks you to wait ${wait}`);
	});

	it('passes on what the service says, and the trace ID for its operator', async () => {
		rig.emulator.fail({ route: 'site', fault: { kind: 'status', status: 422 } });

		const { error } = await rig.run();

		const [request] = rig.emulator.journal.of('site');
		expect(request?.traceId).toMatch(/^00-/);
		expect(error?.description).toMatch(/The service says: ".+"/);
		expect(error?.description).toContain(request?.traceId);
	});

	it('does not follow a redirect, to the same origin or another', async () => {
		const other = await Rig.start();
		for (const { baseUrl } of [rig.emulator, other.emulator]) {
			const location = `${baseUrl}/meta/sites/1002`;
			rig.emulator.fail({ route: 'site', fault: status(307, { location }), times: 1 });

			const { error } = await rig.run();

			expect(error?.message).toContain(location);
		}
		expect(rig.emulator.journal.count('site')).toBe(2);
		expect(other.emulator.journal.requests).toEqual([]);
		await other.stop();
	});

	it.each<[string, Fault, string, unknown]>([
		[
			'HTML',
			{ kind: 'body', body: '<!doctype html><title>Login</title>', contentType: 'text/html' },
			'The answer for site 1001 is a web page',
			'<!doctype html><title>Login</title>',
		],
		['an empty body', body(''), 'The answer for site 1001 is empty', ''],
		['status 204', { kind: 'status', status: 204 }, 'The answer for site 1001 is empty', ''],
		['blanks', body(' \n'), 'The answer for site 1001 is empty', ' \n'],
		[
			'half a JSON text',
			body('{"siteId":1001,"siteNa'),
			'The answer for site 1001 cannot be read',
			'{"siteId":1001,"siteNa',
		],
		[
			'a text that is not UTF-8',
			{ kind: 'body', body: Buffer.from('{"siteName":"Storvågen"}', 'latin1') },
			'The answer for site 1001 is not in UTF-8',
			'{"siteName":"Storv\ufffdgen"}',
		],
		[
			'an unknown charset',
			{ kind: 'body', body: '{"siteId":1001}', contentType: 'application/json; charset=utf-32' },
			'The answer for site 1001 is in an unknown charset',
			'{"siteId":1001}',
		],
		[
			'4,900 levels',
			body(NESTED),
			'The answer for site 1001 is nested more than 100 levels deep',
			NESTED,
		],
		[
			'an array',
			body('[{"siteId":1001}]'),
			'The answer for site 1001 cannot be used: it does not have the form of a site',
			[{ siteId: 1001 }],
		],
		[
			'a string',
			body('"ok"'),
			'The answer for site 1001 cannot be used: it does not have the form of a site',
			'ok',
		],
		[
			'null',
			body('null'),
			'The answer for site 1001 cannot be used: it does not have the form of a site',
			null,
		],
		[
			'no field of a site',
			body('{"error":"nothing here"}'),
			'The answer for site 1001 cannot be used: it contains none of the fields of a site (siteId, siteName, info, units)',
			{ error: 'nothing here' },
		],
		[
			'another site',
			body('{"siteId":1002,"siteName":"Kråkøya"}'),
			'The answer for site 1001 cannot be used: it is about site 1002',
			{ siteId: 1002, siteName: 'Kråkøya' },
		],
		[
			'a field of the wrong type',
			body('{"siteId":1001,"units":[{"unitId":1},{"unitId":"two"}]}'),
			"The answer for site 1001 cannot be used: 'units[1].unitId' is not a whole number",
			{ siteId: 1001, units: [{ unitId: 1 }, { unitId: 'two' }] },
		],
		[
			'a site ID that has lost digits',
			body('{"siteId":9007199254740993}'),
			"The answer for site 1001 cannot be used: 'siteId' is too large to be read exactly",
			{ siteId: 9007199254740992 },
		],
	])('%s with status 200', async (_name, fault, message, data) => {
		rig.emulator.fail({ route: 'site', fault });

		const { error, items } = await rig.run();

		expect(items).toEqual([]);
		expect(error).toMatchObject({
			name: 'NodeApiError',
			message,
			httpCode: fault.kind === 'status' ? '204' : '200',
			description: OPERATOR,
			context: { itemIndex: 0, data },
		});
	});

	it('a body of 4,900 levels with an unsuccessful status keeps the status message, and is kept as text', async () => {
		rig.emulator.fail({ route: 'site', fault: { kind: 'status', status: 418, body: NESTED } });

		const { error } = await rig.run();

		expect(error).toMatchObject({
			message: 'The service answered the request for site 1001 with status 418',
			httpCode: '418',
			context: { data: NESTED },
		});
	});

	it.each([
		['application/json; charset=iso-8859-1', Buffer.from('Storvågen', 'latin1')],
		['application/json; charset="UTF-8"', Buffer.from('Storvågen')],
	])('is no failure for %s', async (contentType, name) => {
		const text = Buffer.concat([Buffer.from('{"siteName":"'), name, Buffer.from('"}')]);
		rig.emulator.fail({ route: 'site', fault: { kind: 'body', body: text, contentType } });

		const { items } = await rig.run();

		expect(items[0]?.json).toEqual({ siteName: 'Storvågen' });
	});

	it('reads the charset of an unsuccessful answer too', async () => {
		rig.emulator.fail({
			route: 'site',
			fault: { kind: 'echo', status: 400, contentType: 'application/json; charset=utf-32' },
		});

		const { error } = await rig.run();

		expect(error?.context.data).toMatch(/^\{"message":"refused: /);
	});

	it.each<[string, string]>([
		['{"siteName":"Without ID"}', 'a missing site ID'],
		['{"siteId":null,"siteName":"ID null"}', 'a site ID that is null'],
		['{"siteId":1001,"info":null,"units":null,"new":{"deep":[1]}}', 'null and unknown fields'],
		['\ufeff{"siteId":1001}', 'a byte order mark'],
		['{"siteId":1001,"__proto__":{"x":1}}', 'a field called __proto__'],
		['{"siteId":1001,"units":[{"unitId":9007199254740992}]}', 'a large unit ID'],
	])('is no failure for %s (%s)', async (text) => {
		rig.emulator.fail({ route: 'site', fault: body(text) });

		const { items } = await rig.run();

		expect(JSON.stringify(items[0]?.json)).toBe(text.replace('\ufeff', ''));
	});

	it.each<[string, Fault, string]>([
		[
			'a reset connection',
			{ kind: 'reset' },
			'The connection to the service broke off, so site 1001 was not read',
		],
		[
			'half an answer',
			{ kind: 'truncated' },
			'The connection to the service broke off, so site 1001 was not read',
		],
		['no answer', { kind: 'hang' }, 'Site 1001 took longer than 0.3 seconds'],
		[
			'an answer that trickles in',
			{ kind: 'trickle', msPerByte: 20 },
			'Site 1001 took longer than 0.3 seconds',
		],
	])('%s', async (_name, fault, message) => {
		rig.emulator.fail({ route: 'site', fault });

		const { error } = await rig.run({ options: { timeout: 0.3, maxTries: 1 } });

		expect(error).toMatchObject({ name: 'NodeApiError', message, context: { itemIndex: 0 } });
		expect(error?.httpCode).toBeNull();
	});

	it('an answer of 50 MB is given up after the first 16', async () => {
		rig.emulator.fail({ route: 'site', fault: { kind: 'huge', bytes: 50 * 1024 * 1024 } });

		const { error } = await rig.run();

		expect(error?.message).toBe('The answer for site 1001 is larger than 16 MB');
	});

	it('a host that refuses the connection', async () => {
		rig.setCredential({ baseUrl: await closedAddress() });
		await expect(rig.run({ options: { maxTries: 1 } })).resolves.toMatchObject({
			error: { message: 'The service refused the connection' },
		});
	}, 20_000);

	it('a host name that does not exist', async () => {
		rig.setCredential({ baseUrl: 'https://aquaculture.invalid' });
		await expect(rig.run({ options: { maxTries: 1 } })).resolves.toMatchObject({
			error: { message: expect.stringMatching(/^The host name of the service/) as unknown },
		});
	}, 20_000);

	it('a host that does not speak HTTP', async () => {
		const server = createTcpServer((socket) => socket.end('220 mail.example.com\r\n'));
		rig.setCredential({ baseUrl: await listen(server) });
		await expect(rig.run({ options: { maxTries: 1 } })).resolves.toMatchObject({
			error: { message: 'No web service answers at this address' },
		});
		server.close();
	});

	it('https:// where the service speaks http://', async () => {
		rig.setCredential({ baseUrl: rig.emulator.baseUrl.replace('http:', 'https:') });
		await expect(rig.run({ options: { maxTries: 1 } })).resolves.toMatchObject({
			error: { message: 'A secure connection to the service could not be set up' },
		});
	});
});

async function listen(server: Server): Promise<string> {
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function closedAddress(): Promise<string> {
	const server = createTcpServer();
	const address = await listen(server);
	await new Promise((resolve) => server.close(resolve));
	return address;
}
