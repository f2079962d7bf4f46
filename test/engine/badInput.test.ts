import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';
import { shareRig, type Rig } from '../../testbed/engine/rig';

describe('bad input is refused before any request', () => {
	let rig: Rig;

	shareRig((started) => {
		rig = started;
	});
	afterEach(() => expect(rig.emulator.journal.requests).toEqual([]));

	it.each<[string, IDataObject | unknown, string]>([
		['empty', '={{ "" }}', "'Site' is empty"],
		['blank', '  ', "'Site' is empty"],
		['null', '={{ null }}', "'Site' is empty"],
		['letters', '12abc', `'Site' is not a whole number: "12abc"`],
		['a fraction', '1.5', `'Site' is not a whole number: "1.5"`],
		['a fraction as number', 1.5, `'Site' is not a whole number: "1.5"`],
		['an exponent', '1e3', `'Site' is not a whole number: "1e3"`],
		['hexadecimal', '0x10', `'Site' is not a whole number: "0x10"`],
		['a plus sign', '+5', `'Site' is not a whole number: "+5"`],
		['a path', '../auth/token', `'Site' is not a whole number: "../auth/token"`],
		['a query', '1001?x=1', `'Site' is not a whole number: "1001?x=1"`],
		['other digits', '１００１', `'Site' is not a whole number: "１００１"`],
		['a word that n8n explains itself', 'ENOENT', `'Site' is not a whole number: "ENOENT"`],
		['an object', '={{ ({ id: 1 }) }}', `'Site' is not a whole number: {"id":1}`],
		['a list', '={{ [1001] }}', `'Site' contains a list of sites: [1001]`],
		['true', '={{ true }}', `'Site' is not a whole number: "true"`],
		['2^53', '9007199254740992', `'Site' is too large for a site ID: "9007199254740992"`],
		['a very long text', 'x'.repeat(5000), `'Site' is not a whole number: "${'x'.repeat(58)}…`],
	])('site ID: %s', async (_name, siteId, message) => {
		const { error, items } = await rig.run({ siteId } as IDataObject);

		expect(items).toEqual([]);
		expect(error).toMatchObject({
			name: 'NodeOperationError',
			message,
			description: expect.stringMatching(
				/^(Correct 'Site' in the node|Choose 'By Name'|Choose the operation)/,
			) as unknown,
			context: { itemIndex: 0 },
		});
	});

	it.each<[IDataObject, string, string]>([
		[
			{ siteId: '={{ "1\u00a0001" }}' },
			`'Site' has leading zeros or thousands separators: "1\u00a0001"`,
			'Write the ID in digits alone, such as 1001.',
		],
		[
			{ operation: 'getManySites', siteIds: '1002, 1 001 7 100' },
			`'Site IDs' contains 2 numbers with leading zeros or thousands separators: "1 001", "7 100"`,
			'Write each ID without leading zeros or thousands separators, with commas between IDs: 1001, 1002.',
		],
	])('how to write site IDs: %j', async (parameters, message, description) => {
		const { error } = await rig.run(parameters);

		expect(error).toMatchObject({ name: 'NodeOperationError', message, description });
	});

	it.each<[IDataObject, string]>([
		[{ includeInfo: 'maybe' }, `'Include Info' is neither true nor false: "maybe"`],
		[
			{ options: { timeout: 0 } },
			`'Timeout' is not a number of seconds above 0 and up to 3600: "0"`,
		],
		[
			{ options: { timeout: 'soon' } },
			`'Timeout' is not a number of seconds above 0 and up to 3600: "soon"`,
		],
		[
			{ options: { timeout: 3601 } },
			`'Timeout' is not a number of seconds above 0 and up to 3600: "3601"`,
		],
		[
			{ options: { dataVersion: '2023-02-30' } },
			`'Data Request Version' is not a date in the form YYYY-MM-DD: "2023-02-30"`,
		],
		[
			{ options: { dataVersion: 'latest' } },
			`'Data Request Version' is not a date in the form YYYY-MM-DD: "latest"`,
		],
		[
			{ options: { additionalIncludes: '={{ ["units"] }}' } },
			`'Additional Site Data' is not a text: ["units"]`,
		],
		[
			{ options: { additionalIncludes: '\ud800' } },
			"'Additional Site Data' contains a character that cannot be sent",
		],
		[
			{ options: { includeResponseDetails: 'x' } },
			`'Include Response Details' is neither true nor false: "x"`,
		],
	])('parameters: %j', async (parameters, message) => {
		const { error } = await rig.run(parameters);

		expect(error).toMatchObject({ name: 'NodeOperationError', message });
	});

	it.each(['__proto__', 'constructor', 'toString', '', 'getSites'])(
		'operation: %j',
		async (operation) => {
			const { error } = await rig.run({ operation });

			expect(error).toMatchObject({
				name: 'NodeOperationError',
				message: `The operation "${operation}" does not exist`,
			});
		},
	);

	it('names the item, and sends nothing for the items before it', async () => {
		const input = [{ id: 1001 }, { id: 1002 }, { id: 'three' }];

		const { error } = await rig.run({ siteId: '={{ $json.id }}' }, { input });

		expect(error).toMatchObject({
			message: `'Site' is not a whole number: "three"`,
			context: { itemIndex: 2 },
		});
	});

	it.each<[ICredentialDataDecryptedObject, string]>([
		[{ baseUrl: '' }, "'Base URL' is empty"],
		[{ baseUrl: 'data.example.com' }, "'Base URL' must begin with https://"],
		[{ baseUrl: 'ftp://data.example.com' }, "'Base URL' must begin with https://"],
		[{ baseUrl: 'javascript:alert(1)' }, "'Base URL' must begin with https://"],
		[{ baseUrl: 'https://' }, "'Base URL' is not a web address"],
		[
			{ baseUrl: 'https://me:secret@data.example.com' },
			"'Base URL' must not contain a user name or password",
		],
		[
			{ baseUrl: 'https://data.example.com?tenant=1' },
			"'Base URL' must end before the first ? or #",
		],
		[{ baseUrl: 'http://data.example.com' }, "'Base URL' must begin with https://"],
		[{ baseUrl: 'http://localhost.example.com' }, "'Base URL' must begin with https://"],
		[{ username: '' }, "'Username' is empty"],
		[{ password: '' }, "'Password' is empty"],
		[{ versionHeader: '' }, "'Version Header Name' is empty"],
		[
			{ versionHeader: 'Service Version' },
			"'Version Header Name' contains a character that the name of a header cannot have",
		],
		[
			{ versionHeader: 'X\r\nEvil' },
			"'Version Header Name' contains a character that the name of a header cannot have",
		],
		[
			{ versionHeader: 'authorization' },
			"'Version Header Name' cannot be authorization, which a request needs for itself",
		],
		[
			{ tokenVersion: '2025-13-01' },
			`'Token Request Version' is not a date in the form YYYY-MM-DD: "2025-13-01"`,
		],
		[{ dataVersion: '' }, "'Data Request Version' is empty"],
	])('credential: %j', async (fields, message) => {
		rig.setCredential(fields);

		const { error } = await rig.run();

		expect(error).toMatchObject({
			name: 'NodeOperationError',
			message,
			description: expect.stringMatching(/ in the credential\b.*\.$/) as unknown,
		});
		await expect(rig.engine.testCredential('account')).resolves.toEqual({
			status: 'Error',
			message,
		});
	});

	it('credential: a missing one', async () => {
		rig.engine.credentials.stored.clear();

		const { error } = await rig.run();

		expect(error?.message).toContain('No credential has the id');
		expect(error?.description).toBeUndefined();
	});
});
