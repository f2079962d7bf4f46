import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { Aquaculture } from '../../nodes/Aquaculture/Aquaculture.node';
import { AquacultureTrigger } from '../../nodes/Aquaculture/AquacultureTrigger.node';
import { ActiveTrigger } from '../../testbed/engine/activeTrigger';
import { useHarness } from '../../testbed/engine/harness';

const NO_VALUE = '={{ ({ wrong: true }) }}';

/** Every field and option with its label, and parameters that show it and give it this value. */
function fieldsWith(
	{ description }: { description: { properties: INodeProperties[] } },
	value: unknown,
): Array<[label: string, parameters: IDataObject]> {
	return description.properties.flatMap(({ name, displayName, type, displayOptions, options }) => {
		if (name === 'resource' || name === 'operation') return [];
		const shown = Object.entries(displayOptions?.show ?? {}).map(([key, values]) => [
			key,
			values?.[0],
		]);
		const parameters = { simplify: false, sites: 'all', ...Object.fromEntries(shown) };
		if (type !== 'collection') return [[displayName, { ...parameters, [name]: value }]];
		return (options as INodeProperties[]).map((option): [string, IDataObject] => [
			option.displayName,
			{ ...parameters, options: { [option.name]: value } },
		]);
	});
}

describe('bad input', () => {
	const harness = useHarness();
	beforeEach(() => harness.setCredential({ knownSites: '1001 Storvågen' }));
	afterEach(() => expect(harness.emulator.journal.requests.map(({ url }) => url)).toEqual([]));

	const refused = (message: unknown) => ({
		name: 'NodeOperationError',
		message,
		description: expect.stringMatching(
			/^(Correct '.+' in the node|Choose |Enter the ID)/,
		) as unknown,
	});
	const aboutField = (label: string) => refused(expect.stringContaining(`'${label}' `) as unknown);

	const FIELDS = fieldsWith(new Aquaculture(), NO_VALUE);
	it.each(FIELDS)('refuses a wrong %s before any request: %j', async (label, parameters) => {
		const { error, items } = await harness.run(parameters);

		expect(items).toEqual([]);
		expect(error).toMatchObject(aboutField(label));
	});

	const TRIGGER_FIELDS = fieldsWith(new AquacultureTrigger(), NO_VALUE);
	it.each(TRIGGER_FIELDS)('the trigger refuses a wrong %s: %j', async (label, parameters) => {
		const activation = new ActiveTrigger(harness, parameters).activate();

		await expect(activation).rejects.toMatchObject(aboutField(label));
	});

	it.each<[IDataObject, string]>([
		// n8n replaces messages with this word.
		[{ siteId: 'ENOENT' }, `'Site' contains an unknown site: "ENOENT"`],
		[{ operation: '__CUSTOM_API_CALL__' }, 'This node does not support custom API calls'],
		[{ operation: 'constructor' }, 'The operation "constructor" does not exist'],
		[{ operation: ['getSite'] }, 'The operation "getSite" does not exist'],
		[
			{ operation: 'getManySites', sites: 'all', options: { limit: 0 } },
			`'Limit' is not a whole number from 1 to 100000: "0"`,
		],
	])('refuses the parameters %j before any request', async (parameters, message) => {
		const { error, items } = await harness.run(parameters);

		expect(items).toEqual([]);
		expect(error).toMatchObject(refused(message));
	});

	it('refuses a credential before any request, in a run and in its test', async () => {
		harness.setCredential({ baseUrl: '' });

		const { error } = await harness.run();

		expect(error).toMatchObject({
			name: 'NodeOperationError',
			message: "'Base URL' is empty",
			description: expect.stringMatching(/ in the credential\b.*\.$/) as unknown,
		});
		await expect(harness.engine.testCredential('account')).resolves.toEqual({
			status: 'Error',
			message: `'Base URL' is empty. ${error?.description}`,
		});
	});
});
