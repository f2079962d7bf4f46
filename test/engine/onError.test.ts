import type { IDataObject } from 'n8n-workflow';
import { throwForCode, THROWING_SITE } from './throwing';
import { shareRig, type Rig } from '../../testbed/engine/rig';

const INPUT = [
	{ id: 1001, row: 'a' },
	{ id: 4040, row: 'b' },
	{ id: 'x', row: 'c' },
	{ id: 1002, row: 'd' },
];
const UNKNOWN = 'The service does not know site 4040';
const MALFORMED = `'Site' is not a whole number: "x"`;

describe('On Error', () => {
	let rig: Rig;

	shareRig((started) => {
		rig = started;
	});

	const parameters = { siteId: '={{ $json.id }}' };

	it('"Stop Workflow" stops with the failure of the item, and sends nothing more', async () => {
		rig.emulator.settings.latencyMs = 30;
		const input = [{ id: 4040 }, ...Array.from({ length: 200 }, () => ({ id: 1001 }))];

		const { error, items } = await rig.run(parameters, { input });
		await new Promise((resolve) => setTimeout(resolve, 100));

		rig.emulator.settings.latencyMs = 0;
		expect(items).toEqual([]);
		expect(error).toMatchObject({ message: UNKNOWN, httpCode: '404', context: { itemIndex: 0 } });
		expect(rig.emulator.journal.count('site')).toBeLessThan(60);
	});

	it('"Continue" keeps each item in its place', async () => {
		const { items, error } = await rig.run(parameters, {
			input: INPUT,
			onError: 'continueRegularOutput',
		});

		expect(error).toBeUndefined();
		expect(items).toMatchObject([
			{ json: { siteId: 1001 }, pairedItem: { item: 0 } },
			{ json: { error: UNKNOWN }, pairedItem: { item: 1 }, error: { httpCode: '404' } },
			{ json: { error: MALFORMED }, pairedItem: { item: 2 } },
			{ json: { siteId: 1002 }, pairedItem: { item: 3 } },
		]);
	});

	it('"Continue (using error output)" sends the failed items alone to the error branch', async () => {
		const { items, errorItems, error } = await rig.run(parameters, {
			input: INPUT,
			onError: 'continueErrorOutput',
		});

		expect(error).toBeUndefined();
		expect(items.map(({ json, pairedItem }) => [json.siteId, pairedItem])).toEqual([
			[1001, { item: 0 }],
			[1002, { item: 3 }],
		]);
		expect(errorItems).toMatchObject([
			{
				json: { error: UNKNOWN },
				pairedItem: { item: 1 },
				error: {
					httpCode: '404',
					description: expect.stringContaining('Check the site ID') as unknown,
					context: { itemIndex: 1 },
				},
			},
			{ json: { error: MALFORMED }, pairedItem: { item: 2 } },
		]);
	});

	it.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
		'%s turns what concerns all items into an error item for each, and hands no input on',
		async (onError) => {
			rig.setCredential({ baseUrl: 'ftp://data.example.com' });

			const { items, errorItems, error } = await rig.run(parameters, { input: INPUT, onError });

			const failed = onError === 'continueErrorOutput' ? errorItems : items;
			expect(error).toBeUndefined();
			expect(items.length + errorItems.length).toBe(4);
			expect(failed.map(({ json }) => json)).toEqual([
				{ error: "'Base URL' must begin with https://" },
				{ error: "'Base URL' must begin with https://" },
				{ error: "'Base URL' must begin with https://" },
				{ error: "'Base URL' must begin with https://" },
			]);
			expect(rig.emulator.journal.requests).toEqual([]);
		},
	);

	describe.each<[string, IDataObject, string, string, string | null]>([
		[
			'a body of 5,000 levels',
			{},
			`{"siteId":1001,"new":${'['.repeat(5000)}${']'.repeat(5000)}}`,
			'The answer for site 1001 is nested more than 100 levels deep',
			'200',
		],
		[
			'an answer that the node cannot process',
			{ simplify: true },
			THROWING_SITE,
			'The answer for site 1001 could not be processed',
			null,
		],
	])('with %s', (_name, output, body, message, httpCode) => {
		const input = [{ id: 1002 }, { id: 1001 }, { id: 1001 }, { id: 1003 }];
		const fails = { json: { error: message }, error: { message, httpCode } };

		beforeEach(() => {
			throwForCode();
			rig.emulator.fail({ route: 'site', siteId: 1001, fault: { kind: 'body', body } });
		});
		afterEach(() => jest.restoreAllMocks());

		it('"Stop Workflow" stops with the failure of the item', async () => {
			const { error, items } = await rig.run({ ...parameters, ...output }, { input });

			expect(items).toEqual([]);
			expect(error).toMatchObject({ name: 'NodeApiError', message, context: { itemIndex: 1 } });
		});

		it('"Continue" keeps each item in its place', async () => {
			const { error, items } = await rig.run(
				{ ...parameters, ...output },
				{ input, onError: 'continueRegularOutput' },
			);

			expect(error).toBeUndefined();
			expect(items).toMatchObject([
				{ json: { siteId: 1002 }, pairedItem: { item: 0 } },
				{ ...fails, pairedItem: { item: 1 } },
				{ ...fails, pairedItem: { item: 2 } },
				{ json: { siteId: 1003 }, pairedItem: { item: 3 } },
			]);
		});

		it('"Continue (using error output)" sends the failed items alone to the error branch', async () => {
			const { error, items, errorItems } = await rig.run(
				{ ...parameters, ...output },
				{ input, onError: 'continueErrorOutput' },
			);

			expect(error).toBeUndefined();
			expect(items.map(({ json }) => json.siteId)).toEqual([1002, 1003]);
			expect(errorItems).toMatchObject([
				{ ...fails, pairedItem: { item: 1 } },
				{ ...fails, pairedItem: { item: 2 } },
			]);
		});
	});

	it('an operation that does not exist becomes an error item too', async () => {
		const { items } = await rig.run(
			{ operation: 'getSites' },
			{ onError: 'continueRegularOutput' },
		);

		expect(items).toMatchObject([
			{
				json: { error: 'The operation "getSites" does not exist' },
				error: {
					description:
						'Choose an operation in the node. The workflow may have been made for another version of it.',
				},
			},
		]);
	});
});
