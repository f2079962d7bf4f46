import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';
import { useHarness } from '../../testbed/engine/harness';

describe('bad input', () => {
	const harness = useHarness();
	afterEach(() => expect(harness.emulator.journal.requests).toEqual([]));

	async function expectRefusal(parameters: IDataObject, message: string): Promise<void> {
		const { error, items } = await harness.run(parameters);

		expect(items).toEqual([]);
		expect(error).toMatchObject({
			name: 'NodeOperationError',
			message,
			description: expect.stringMatching(
				/^(Correct '.+' in the node|Choose |Enter the ID)/,
			) as unknown,
		});
	}

	it.each<[IDataObject, string]>([
		[{ siteId: '={{ null }}' }, "'Site' is empty"],
		[{ siteId: '../auth/token' }, `'Site' contains an unknown site: "../auth/token"`],
		// n8n replaces messages with this word.
		[{ siteId: 'ENOENT' }, `'Site' contains an unknown site: "ENOENT"`],
		[
			{ siteId: '={{ ({ id: 1 }) }}' },
			`'Site' contains a value that is not a whole number: {"id":1}`,
		],
		[{ siteId: '={{ [1001] }}' }, `'Site' contains a list of sites: [1001]`],
		[
			{ operation: 'getManySites', siteIds: '={{ [1001, [1002], {"id":3}, true, 1e21] }}' },
			`'Site IDs' contains a value that is not a whole number: [1002]`,
		],
		[{ operation: '__CUSTOM_API_CALL__' }, 'This node does not support custom API calls'],
		[{ operation: 'constructor' }, 'The operation "constructor" does not exist'],
		[{ operation: ['getSite'] }, 'The operation "getSite" does not exist'],
		[{ includeInfo: 'maybe' }, `'Include Info' is neither true nor false: "maybe"`],
		[{ simplify: 7 }, `'Simplify' is neither true nor false: "7"`],
	])('refuses the parameters %j before any request', async (parameters, message) => {
		await expectRefusal(parameters, message);
	});

	it.each([
		['additionalIncludes', '={{ ["units"] }}', `'Additional Site Data' is not text: ["units"]`],
		['ignoreMissing', 'x', `'Ignore Missing Sites' is neither true nor false: "x"`],
		['includeResponseDetails', 'x', `'Include Response Details' is neither true nor false: "x"`],
		['limit', 0, `'Limit' is not a whole number from 1 to 100000: "0"`],
		['maxWait', 1441, `'Maximum Wait (Minutes)' is not a number of minutes from 0 to 1440: "1441"`],
		['timeout', 3601, `'Timeout (Seconds)' is not a number of seconds from 1 to 3600: "3601"`],
	])('refuses the option %s = %j before any request', async (name, value, message) => {
		const operation = name === 'limit' ? { operation: 'getManySites', sites: 'all' } : {};
		harness.setCredential({ knownSites: '1001' });
		await expectRefusal({ ...operation, options: { [name]: value } }, message);
	});

	it.each<[ICredentialDataDecryptedObject, string]>([
		[{ baseUrl: '' }, "'Base URL' is empty"],
		[
			{ versionHeader: 'authorization' },
			"'Version Header Name' cannot be authorization: n8n uses this header itself",
		],
	])(
		'refuses the credential %j before any request, in a run and in its test',
		async (fields, message) => {
			harness.setCredential(fields);

			const { error } = await harness.run();

			expect(error).toMatchObject({
				name: 'NodeOperationError',
				message,
				description: expect.stringMatching(/ in the credential\b.*\.$/) as unknown,
			});
			await expect(harness.engine.testCredential('account')).resolves.toEqual({
				status: 'Error',
				message: `${message}. ${error?.description}`,
			});
		},
	);
});
