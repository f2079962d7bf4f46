import { Expression, type IDataObject } from 'n8n-workflow';
import { SITES } from '../../emulator/sites';
import { APART, Rig, itemsApart, shareRig } from '../../testbed/engine/rig';

describe('Get Site', () => {
	let rig: Rig;

	shareRig((started) => {
		rig = started;
	});

	afterEach(() => {
		jest.restoreAllMocks();
	});

	const sentUrls = () => rig.emulator.journal.of('site').map(({ url }) => url);

	describe('what is put out', () => {
		it('is the site as the service sent it, linked to its item', async () => {
			const { items, error } = await rig.run();

			expect(error).toBeUndefined();
			expect(items).toEqual([{ json: SITES[0], pairedItem: { item: 0 } }]);
			expect(Object.keys(items[0]?.json ?? {})).toEqual(['siteId', 'siteName', 'info', 'units']);
		});

		it.each(SITES.map(({ siteId, siteName }) => [siteId, siteName]))(
			'is right for the odd site %d (%s)',
			async (siteId) => {
				const { items } = await rig.run({ siteId });

				expect(items.map(({ json }) => json)).toEqual(
					SITES.filter((site) => site.siteId === siteId),
				);
			},
		);

		it('is one item for each input item, in their order', async () => {
			const input = [1003, 1001, 1002, 1001, 1020].map((id) => ({ id }));

			const { items } = await rig.run({ siteId: '={{ $json.id }}' }, { input });

			expect(items.map(({ json, pairedItem }) => [json.siteId, pairedItem])).toEqual(
				input.map(({ id }, item) => [id, { item }]),
			);
		});

		it.each([
			[1001],
			['1001'],
			[' 1001 '],
			[1001.5],
			[''],
			['Storvågen'],
			[null],
			[true],
			[[1001]],
			[{ id: 1001 }],
			[undefined],
		])(
			'is the same for %j, whether n8n evaluates an expression or a field is all it names',
			async (id) => {
				const input = [{ id: 1002 }, id === undefined ? {} : { id }];
				const read = async (siteId: string) =>
					await rig.run({ siteId }, { input, onError: 'continueRegularOutput' });

				const [named, spaced, evaluated] = await Promise.all(
					['={{ $json.id }}', '={{$json.id}}', '={{ $json["id"] }}'].map(read),
				);

				expect(evaluated?.items).toHaveLength(2);
				expect(named?.items).toEqual(evaluated?.items);
				expect(spaced?.items).toEqual(evaluated?.items);
			},
		);

		it('is refused for a field that no item has of its own', async () => {
			const { error } = await rig.run({ siteId: '={{ $json.constructor }}' });

			expect(error?.message).toBe("'Site' is empty");
		});

		it('is nothing for no input item, and nothing is sent', async () => {
			const { items, error } = await rig.run({}, { input: [] });

			expect([items, error, rig.emulator.journal.requests]).toEqual([[], undefined, []]);
		});

		it('holds status code, headers and body with Include Response Details', async () => {
			const { items } = await rig.run({ options: { includeResponseDetails: true } });

			expect(items).toEqual([
				{
					json: {
						statusCode: 200,
						headers: expect.objectContaining({
							'content-type': 'application/json; charset=utf-8',
						}) as unknown,
						body: SITES[0],
					},
					pairedItem: { item: 0 },
				},
			]);
		});

		it('is a flat row for each site with Simplify, always with the same columns', async () => {
			const input = [{ id: 1001 }, { id: 1021 }, { id: 1020 }];

			const { items } = await rig.run(
				{ siteId: '={{ $json.id }}', simplify: true, options: { includeResponseDetails: true } },
				{ input },
			);

			expect(items.map(({ json }) => json)).toEqual([
				expect.objectContaining({ siteId: 1001, siteName: 'Storvågen', license: 'M-H-0101' }),
				expect.objectContaining({ siteId: 1021, siteName: 'Gamle Brygga', license: null }),
				expect.objectContaining({ siteId: 1020, numberOfUnits: 0 }),
			]);
			expect(new Set(items.map(({ json }) => Object.keys(json).join())).size).toBe(1);
			expect(items.map(({ pairedItem }) => pairedItem)).toEqual([
				{ item: 0 },
				{ item: 1 },
				{ item: 2 },
			]);
		});

		it('leaves the cells empty of what was not asked for', async () => {
			const { items } = await rig.run({
				simplify: true,
				includeInfo: false,
				includeUnits: false,
			});

			expect(items[0]?.json).toMatchObject({
				siteName: 'Storvågen',
				code: null,
				numberOfUnits: null,
			});
			expect(sentUrls()).toEqual(['/meta/sites/1001']);
		});

		it.each(['maybe', 7])('is refused for Simplify %p', async (simplify) => {
			const { error } = await rig.run({ simplify });

			expect(error?.message).toContain("'Simplify' is");
			expect(sentUrls()).toEqual([]);
		});
	});

	describe('what is sent', () => {
		const PORT_AND_AGENT = {
			host: expect.stringMatching(/^127\.0\.0\.1:\d+$/) as unknown,
			'user-agent': expect.any(String) as unknown,
			'accept-encoding': expect.any(String) as unknown,
			connection: expect.any(String) as unknown,
		};

		it('is the documented token request, then the documented site request', async () => {
			const account = rig.setCredential();
			await rig.run();

			const [token, site, ...more] = rig.emulator.journal.requests;
			expect(more).toEqual([]);
			expect(token).toMatchObject({
				method: 'POST',
				url: '/auth/token',
				body: JSON.stringify(account),
			});
			expect(token?.headers).toEqual({
				...PORT_AND_AGENT,
				accept: 'application/json',
				'content-type': 'application/json',
				'content-length': String(Buffer.byteLength(JSON.stringify(account))),
				'service-version': '2025-01-01',
			});
			expect(site).toMatchObject({
				method: 'GET',
				url: '/meta/sites/1001?$include=units,info',
				body: '',
			});
			expect(site?.headers).toEqual({
				...PORT_AND_AGENT,
				accept: 'application/json',
				authorization: `Bearer ${String(rig.credential.accessToken)}`,
				'service-version': '2023-01-01',
			});
		});

		it.each<[IDataObject, string]>([
			[{}, '?$include=units,info'],
			[{ includeInfo: false }, '?$include=units'],
			[{ includeUnits: false }, '?$include=info'],
			[{ includeInfo: false, includeUnits: false }, ''],
			[{ includeInfo: 'false', includeUnits: 'true' }, '?$include=units'],
			[
				{ options: { additionalIncludes: ' sensors , ,contacts,sensors, info' } },
				'?$include=units,info,sensors,contacts',
			],
			[
				{ includeInfo: false, includeUnits: false, options: { additionalIncludes: 'a b&c=d/é#' } },
				'?$include=a%20b%26c%3Dd%2F%C3%A9%23',
			],
		])('holds the includes of %j as %s', async (parameters, query) => {
			await rig.run(parameters);

			expect(sentUrls()).toEqual([`/meta/sites/1001${query}`]);
		});

		it.each<[unknown, string]>([
			['1002', '1002'],
			[1002, '1002'],
			[' 1002\n', '1002'],
			['-7', '-7'],
			[-7, '-7'],
		])('holds the site ID %j as %s', async (siteId, sent) => {
			const { error } = await rig.run({ siteId } as IDataObject);

			expect(error).toBeUndefined();
			expect(sentUrls()).toEqual([`/meta/sites/${sent}?$include=units,info`]);
		});

		it('holds the version that the node asks for instead of the credential’s', async () => {
			await rig.run({ options: { dataVersion: '2024-02-29' } });

			expect(
				rig.emulator.journal.requests.map(({ headers }) => headers['service-version']),
			).toEqual(['2025-01-01', '2024-02-29']);
		});

		it('uses the header name and the versions of the credential', async () => {
			rig.emulator.settings.versionHeader = 'X-Fish-Version';
			rig.setCredential({
				versionHeader: 'X-Fish-Version',
				tokenVersion: '2026-01-02',
				dataVersion: '2026-03-04',
			});

			const { error } = await rig.run();

			rig.emulator.settings.versionHeader = 'Service-Version';
			expect(error).toBeUndefined();
			expect(rig.emulator.journal.requests.map(({ headers }) => headers['x-fish-version'])).toEqual(
				['2026-01-02', '2026-03-04'],
			);
			expect(sentUrls()).toHaveLength(1);
		});

		it('goes below a base URL with a path and trailing slashes', async () => {
			const other = await Rig.start({ prefix: '/data/v1' });
			other.setCredential({ baseUrl: `${other.emulator.baseUrl}//` });

			const { error } = await other.run();

			expect(error).toBeUndefined();
			expect(other.emulator.journal.requests.map(({ url }) => url)).toEqual([
				'/data/v1/auth/token',
				'/data/v1/meta/sites/1001?$include=units,info',
			]);
			await other.stop();
		});

		it('is never more than 20 requests at once', async () => {
			rig.emulator.settings.latencyMs = 20;

			const { items } = await rig.run(APART, { input: itemsApart(60) });

			rig.emulator.settings.latencyMs = 0;
			expect(items).toHaveLength(60);
			expect(rig.emulator.journal.peakConcurrency).toBe(20);
		});
	});

	it('reads the credential once for all items', async () => {
		rig.engine.credentials.reads = 0;

		await rig.run(APART, { input: itemsApart(30) });

		expect(rig.engine.credentials.reads).toBe(1);
	});

	it('stops sending and waiting when the execution is cancelled', async () => {
		rig.emulator.fail({ route: 'site', fault: { kind: 'hang' } });

		const { status } = await rig.run(APART, {
			input: itemsApart(100),
			onStart: (execution) => setTimeout(() => execution.cancel(), 300),
		});

		expect(status).toBe('canceled');
		expect(rig.emulator.journal.count('site')).toBe(20);
	});

	it('stops evaluating the expressions of further items when the execution is cancelled', async () => {
		const evaluate = jest.spyOn(Expression.prototype, 'resolveSimpleParameterValue');
		let look: NodeJS.Timeout | undefined;
		const onStart = (execution: { cancel(): void }) => {
			look = setInterval(() => {
				if (evaluate.mock.calls.length > 100) execution.cancel();
			});
		};

		const { status } = await rig
			.run(
				{ siteId: '={{ $json.id + 0 }}' },
				{ input: Array<IDataObject>(3000).fill({ id: 1001 }), onStart },
			)
			.finally(() => clearInterval(look));

		expect(status).toBe('canceled');
		expect(evaluate.mock.calls.length).toBeLessThan(3000);
	});
});
