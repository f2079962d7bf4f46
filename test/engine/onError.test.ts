import { useHarness } from '../../testbed/engine/harness';

const UNKNOWN = 'The service does not know site 4040';
const NAMED = 'The service does not know site Gamlevika (4040)';
const MALFORMED = `'Site' contains an unknown site: "17 x"`;

describe('On Error', () => {
	const harness = useHarness();

	const parameters = { siteId: '={{ $json.id }}' };

	it('Continue returns an error item for each failed site, in order', async () => {
		harness.setCredential({ knownSites: '4040 Gamlevika\n4041' });
		const input = [4040, 1001, 4040, '17 x', 4041].map((id) => ({ id }));

		const { items, hints, error } = await harness.run(
			{ ...parameters, includeInfo: '={{ $itemIndex > 0 || "x" }}' },
			{ input, onError: 'continueRegularOutput' },
		);

		expect(error).toBeUndefined();
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(input.map((_, item) => ({ item })));
		// test/outputs.ts has the columns.
		expect(
			items.map(({ json }) => [json.error, json.siteId, json.siteName, json.httpCode]),
		).toEqual([
			[`'Include Info' is neither true nor false: "x"`, 4040, 'Gamlevika', null],
			[undefined, 1001, 'Storvågen', undefined],
			[NAMED, 4040, 'Gamlevika', '404'],
			[MALFORMED, null, '17 x', null],
			['The service does not know site 4041', 4041, null, '404'],
		]);
		expect(items.map(({ json }) => json.description)).toEqual([
			expect.stringMatching(/^Correct 'Include Info' in the node\. .* returns for this item\.$/),
			undefined,
			expect.stringMatching(/^Check the site ID\.\n.*'Ignore Missing Sites'/),
			expect.stringMatching(/^Enter the ID/),
			expect.stringMatching(/^Check the site ID\./),
		]);
		expect(hints.map(({ message }) => message)).toEqual([
			"2 of 3 sites could not be read: Gamlevika (4040), 4041. See the field 'error'",
			"2 input items could not be used: see the field 'error'",
		]);
	});

	it.each<[Array<number | string>, string, RegExp]>([
		[
			[1001, 'a', 1002],
			`'Site' contains an unknown site: "a" (input item 2)`,
			/^Enter the ID of the site.* To continue without this item, set /,
		],
		[
			[1001, 'a', 1002, 'b', 'c', 'd', 'e'],
			'5 input items cannot be used (first: item 2)',
			/^Item 2: 'Site' contains an unknown site: "a"\.\nItem 4: .*\nItem 5: .*\.\n2 more items cannot be used either\.\nEnter the ID .* To continue without these items, set 'On Error'/,
		],
	])('Stop Workflow names unusable items before any request: %j', async (ids, message, said) => {
		const { error, items } = await harness.run(parameters, { input: ids.map((id) => ({ id })) });

		expect([items, harness.emulator.journal.requests]).toEqual([[], []]);
		expect(error?.message).toBe(message);
		expect(error?.description).toMatch(said);
		expect(error?.context?.itemIndex).toBeUndefined();
	});

	it.each([
		["={{ $('Nowhere').item.json.name }}", null, null],
		['={{ $json.name }}', null, null],
		['={{ $json.name?.trim() }}', null, null],
		['={{ $json.known }}', 4040, 'Gamlevika'],
		['4040', 4040, 'Gamlevika'],
	])('Continue names the site of an unusable item: %s', async (value, siteId, siteName) => {
		harness.setCredential({ knownSites: '4040 Gamlevika' });

		const { items } = await harness.run(
			{ siteId: { __rl: true, mode: 'name', value }, includeInfo: 'x' },
			{ input: [{ known: 'gamlevika' }], onError: 'continueRegularOutput' },
		);

		expect(items).toMatchObject([{ json: { siteId, siteName } }]);
	});

	it('Continue (using error output) sends failed items with their input fields to the error output', async () => {
		harness.setCredential({ knownSites: '1002 Nordvik' });
		harness.failSites(403, { siteId: 1002 });

		const { items, errorItems, error } = await harness.run(parameters, {
			input: [1001, 4040, '17 x', 1002, 1003].map((id, index) => ({
				id,
				row: 'abcde'[index] ?? '',
			})),
			onError: 'continueErrorOutput',
		});

		expect(error).toBeUndefined();
		expect(items.map(({ json, pairedItem }) => [json.siteId, pairedItem])).toEqual([
			[1001, { item: 0 }],
			[1003, { item: 4 }],
		]);
		expect(errorItems.map(({ pairedItem }) => pairedItem)).toEqual(
			[1, 2, 3].map((item) => ({ item })),
		);
		const forbidden = 'This account may not read site Nordvik (1002)';
		expect(errorItems.map(({ json }) => [json.id, json.row, json.error])).toEqual([
			[4040, 'b', UNKNOWN],
			['17 x', 'c', MALFORMED],
			[1002, 'd', forbidden],
		]);
		expect(errorItems.map(({ json }) => json.message)).toEqual([
			expect.stringMatching(`^${UNKNOWN}\\. Check the site ID\\. `),
			expect.stringMatching(`^${MALFORMED}\\. Enter the ID`),
			expect.stringContaining(`${forbidden}. Ask the operator`),
		]);
	});

	it('explains how to continue without a forbidden site, if there are others', async () => {
		harness.failSites(403, { siteId: 1002 });
		const several = { operation: 'getManySites', siteIds: '1001, 1002' };

		expect((await harness.run(several)).error?.description).toContain(
			"To continue without this site, set 'On Error' in the settings of the node to 'Continue'.",
		);
		expect((await harness.run({ siteId: '1002' })).error?.description).not.toContain('To continue');
		const { items } = await harness.run(several, { onError: 'continueRegularOutput' });
		expect(items[1]?.json.description).not.toContain('To continue');
	});

	it.each([
		['continueRegularOutput', [2, 0], "see the field 'error'"],
		['continueErrorOutput', [0, 2], "see the tab 'Error Branch'"],
	] as const)(
		'%s returns an error item for each input item if the credential is unusable',
		async (onError, counts, place) => {
			harness.setCredential({ baseUrl: 'ftp://data.example.com' });
			const input = [{ id: 1001, siteId: 7, siteName: 'Vik' }, { id: 'x' }];

			const repeating = { ...parameters, options: { includeInputFields: true } };
			const { items, errorItems, hints } = await harness.run(repeating, { input, onError });

			expect([items.length, errorItems.length]).toEqual(counts);
			expect(hints).toMatchObject([{ message: `2 input items could not be used: ${place}` }]);
			const error = "'Base URL' must begin with https://";
			const failed = input.map((item) => ({ json: { ...item, error } }));
			expect([...items, ...errorItems]).toMatchObject(failed);
			expect(harness.emulator.journal.requests).toEqual([]);
		},
	);

	it.each<[string, Record<string, string>]>([
		['an unusable credential', { baseUrl: '' }],
		['a refused login', { password: 'wrong' }],
	])('Continue lets n8n do other work while 3,000 items fail: %s', async (_what, credential) => {
		harness.setCredential(credential);
		const input = Array.from({ length: 3000 }, () => ({}));
		let turns = 0;
		const isRefused = () =>
			harness.emulator.journal.of('token').some(({ status }) => status !== undefined);
		const countTurns = () => {
			if (credential.baseUrl === '' || isRefused()) turns += 1;
			immediate = setImmediate(countTurns);
		};
		let immediate = setImmediate(countTurns);

		const { items } = await harness.run({}, { input, onError: 'continueRegularOutput' });
		clearImmediate(immediate);

		expect(items).toHaveLength(3000);
		// At least one in each of the 30 pauses: without them, a few until the answer has arrived.
		expect(turns).toBeGreaterThanOrEqual(30);
	});
});
