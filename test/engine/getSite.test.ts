import type { IDataObject } from 'n8n-workflow';
import { SITES } from '../../emulator/sites';
import {
	DISTINCT_REQUESTS,
	distinctItems,
	sitesIn,
	useHarness,
} from '../../testbed/engine/harness';
import { until } from '../../testbed/wait';

describe('Get Site', () => {
	const harness = useHarness();

	const sentUrls = () => harness.emulator.journal.of('site').map(({ url }) => url);

	it('returns the site as sent, linked to its input item', async () => {
		const { items, error } = await harness.run();

		expect(error).toBeUndefined();
		expect(items).toEqual([{ json: SITES[0], pairedItem: { item: 0 } }]);
		expect(Object.keys(items[0]?.json ?? {})).toEqual(['siteId', 'siteName', 'info', 'units']);
	});

	const NAMES = [...Object.getOwnPropertyNames(Object.prototype), 'then', 'toJSON'];

	it.each(NAMES)('keeps a field with the name of a JavaScript property: %s', async (name) => {
		const fields = `"${name}":{"siteId":7}`;
		const body = `{${fields},"siteName":"Vik","info":{${fields}},"units":[{${fields},"unitId":1}]}`;
		harness.sendBody(body);

		const { items } = await harness.run({}, { input: [{}, {}] });
		const row = await harness.run({ simplify: true });
		const units = await harness.run({ operation: 'getUnits', siteIds: '1001' });

		expect(items.map(({ json }) => JSON.stringify(json))).toEqual([body, body]);
		expect(row.items).toMatchObject([
			{ json: { siteId: 1001, siteName: 'Vik', numberOfUnits: 1 } },
		]);
		expect(units.items).toMatchObject([{ json: { siteId: 1001, siteName: 'Vik', unitId: 1 } }]);
	});

	it('reads a plain field expression as n8n evaluates it', async () => {
		const ids = [1001, '1001', ' 1001 ', 1001.5, '', 'Storvågen', null, true, [1001], { id: 1 }];
		const input = [...ids.map((id) => ({ id })), {}];
		const read = async (siteId: string | IDataObject) =>
			await harness.run({ siteId }, { input, onError: 'continueRegularOutput' });

		const locator = { __rl: true, mode: 'id', value: '={{ $json.id }}' };
		const evaluated = sitesIn(await read('={{ $json["id"] }}'));
		const plain = await Promise.all(['={{$json.id}}', '={{ $json.id }}', locator].map(read));

		expect(evaluated).toHaveLength(input.length);
		expect(evaluated.slice(0, 3)).toEqual([1001, 1001, 1001]);
		expect(plain.map(sitesIn)).toEqual(Array(3).fill(evaluated));
	});

	it('returns and sends nothing without input items', async () => {
		const { items, error } = await harness.run({}, { input: [] });

		expect([items, error, harness.emulator.journal.requests]).toEqual([[], undefined, []]);
		expect((await harness.run({}, { input: [{}] })).items).toHaveLength(1);
	});

	it('returns status code, headers without cookies, and body with Include Response Details', async () => {
		const headers = { 'content-type': 'application/json', 'set-cookie': 'session=1' };
		const body = JSON.stringify(SITES[0]);
		harness.emulator.fail({ route: 'site', fault: { kind: 'status', status: 200, headers, body } });

		const { items } = await harness.run({ options: { includeResponseDetails: true } });

		const kept = expect.objectContaining({ 'content-type': 'application/json' }) as unknown;
		expect(items).toEqual([
			{ json: { statusCode: 200, headers: kept, body: SITES[0] }, pairedItem: { item: 0 } },
		]);
		expect(JSON.stringify(items)).not.toContain('cookie');
	});

	describe('requests', () => {
		const versionHeader = 'X-Fish-Version';
		const other = useHarness({ prefix: '/data/v1', versionHeader });

		it('are the documented ones, with path, version header and versions of the credential', async () => {
			const baseUrl = `${other.emulator.baseUrl}//`;
			const versions = { versionHeader, tokenVersion: '2026-01-02', dataVersion: '2026-03-04' };
			const body = JSON.stringify(other.setCredential({ baseUrl, ...versions }));
			await other.run();

			/** Those that Node.js and axios add. */
			const ADDED = ['accept-encoding', 'connection', 'host', 'user-agent'];
			const isOurs = ([name]: [string, unknown]) => !ADDED.includes(name);
			const sent = other.emulator.journal.requests.map((request) => ({
				...{ method: request.method, url: request.url, body: request.body },
				...Object.fromEntries(Object.entries(request.headers).filter(isOurs)),
			}));
			expect(sent).toEqual([
				{
					...{ method: 'POST', url: '/data/v1/auth/token', body, accept: 'application/json' },
					...{ 'content-type': 'application/json', 'x-fish-version': '2026-01-02' },
					'content-length': String(Buffer.byteLength(body)),
				},
				{
					...{ method: 'GET', url: '/data/v1/meta/sites/1001?$include=units,info', body: '' },
					...{ accept: 'application/json', 'x-fish-version': '2026-03-04' },
					authorization: expect.stringMatching(/^Bearer \S+$/) as unknown,
				},
			]);
		});

		const more = (additionalIncludes: string) => ({ options: { additionalIncludes } });

		it.each<[IDataObject, string]>([
			[{ includeInfo: 'false', includeUnits: 'true' }, '?$include=units'],
			[{ includeUnits: false }, '?$include=info'],
			[{ includeUnits: false, ...more('sensors,info,units') }, '?$include=info,sensors,units'],
			[{ includeInfo: false, includeUnits: false }, ''],
			[more(' a b , ,c/d'), '?$include=units,info,a%20b,c%2Fd'],
			[{ simplify: '={{ true }}', ...more('sensors') }, '?$include=units,info'],
		])('for %j have the query "%s"', async (parameters, query) => {
			await harness.run(parameters);

			expect(sentUrls()).toEqual([`/meta/sites/1001${query}`]);
		});
	});

	it.each([
		[1, 1],
		[50, 50],
		[300, 107],
	])('for %i items, reads the credential %i times', async (items, reads) => {
		await harness.run();
		harness.engine.credentials.reads = 0;

		await harness.run(DISTINCT_REQUESTS, { input: distinctItems(items) });

		expect(harness.engine.credentials.reads).toBe(reads);
	});

	it.each(['stopWorkflow', 'continueRegularOutput'] as const)(
		'returns no failures when cancelled (%s)',
		async (onError) => {
			harness.emulator.fail({ route: 'site', siteId: 1002, fault: { kind: 'hang' } });
			// This one waits to be sent again.
			harness.failSites(503, { siteId: 1003, retryAfter: 60 });
			let cancel = () => {};
			const running = harness.run(
				{ siteId: '={{ $json.id }}' },
				{
					input: [{ id: 1001 }, { id: 1002 }, { id: 1003 }],
					onError,
					onStart: (execution) => (cancel = () => execution.cancel()),
				},
			);
			await until(() => harness.emulator.journal.of('site').some(({ status }) => status === 503));
			await until(() => harness.emulator.journal.inFlight === 1);
			cancel();

			const { items, error, hints } = await running;

			expect(error?.message).not.toMatch(/site|service/);
			expect(hints).toEqual([]);
			expect(items.filter(({ json }) => json.error !== undefined)).toEqual([]);
		},
	);

	it('merges the input item with Include Input Fields', async () => {
		const input = [
			{ error: 'x', siteName: 'Mine', note: 'A' },
			{ id: 4040 },
			{ id: 'x', siteId: 7 },
		];

		const { items } = await harness.run(
			{ siteId: '={{ $json.id ?? 1001 }}', options: { includeInputFields: true } },
			{ input, onError: 'continueRegularOutput' },
		);

		const error = expect.any(String) as string;
		expect(items.map(({ json }) => json)).toMatchObject([
			{ note: 'A', siteId: 1001, siteName: 'Storvågen' },
			{ id: 4040, siteId: 4040, error },
			{ id: 'x', siteId: 7, siteName: 'x', error },
		]);
		expect(items[0]?.json).not.toHaveProperty('error');
	});

	it('stops evaluating expressions when cancelled', async () => {
		let evaluations = 0;
		harness.engine.variables = {
			get siteId() {
				evaluations += 1;
				return 1001;
			},
		};
		const input = [{ wrong: 'not a site' }, ...Array<IDataObject>(3000).fill({})];
		let look: NodeJS.Timeout | undefined;
		const onStart = (execution: { cancel(): void }) => {
			look = setInterval(() => {
				if (evaluations > 100) execution.cancel();
			});
		};

		const { status, error } = await harness
			.run({ siteId: '={{ $json.wrong ?? $vars.siteId }}' }, { input, onStart })
			.finally(() => clearInterval(look));

		expect(status).toBe('canceled');
		// n8n shows its own reason only if the node throws nothing.
		expect(error?.name).toBe('ManualExecutionCancelledError');
		expect(evaluations).toBeGreaterThan(100);
		expect(evaluations).toBeLessThan(3000);
	});
});
