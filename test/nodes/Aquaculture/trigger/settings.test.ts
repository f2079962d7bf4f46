import type { IPollFunctions } from 'n8n-workflow';
import { Parameters } from '../../../../nodes/Aquaculture/fields/parameters';
import { SiteDirectory } from '../../../../nodes/Aquaculture/sites/directory';
import { evaluateFields, readSettings } from '../../../../nodes/Aquaculture/trigger/settings';
import { nodeOf } from '../nodeOf';

const TRIGGER = 'n8n-nodes-aquaculture.aquacultureTrigger';

/** Evaluates expressions until they are released. */
const contextOf = (typed: Record<string, unknown>) => {
	let isReleased = false;
	const context = {
		getNode: () => nodeOf(TRIGGER),
		getNodeParameter: (path: string, fallback: unknown, options?: object) => {
			const value = typed[path] ?? fallback;
			if (options) return value;
			if (isReleased) throw new Error('No isolate');
			if (value === '={{ fail }}') throw new Error('No such thing');
			return value === '={{ ids }}' ? '1001 1002' : value;
		},
	} as unknown as IPollFunctions;
	return { context, release: () => (isReleased = true) };
};

it('the settings of a trigger are evaluated before anything is waited for', async () => {
	const { context, release } = contextOf({ sites: 'byId', siteIds: '={{ ids }}' });
	const fields = evaluateFields(context);
	release();

	const { siteIds } = await readSettings(new Parameters(fields, new SiteDirectory('')));
	expect(siteIds).toEqual([1001, 1002]);
});

it('the settings of a trigger may hold an expression that fails where it is not used', async () => {
	const parameters = { sites: 'all', siteIds: '={{ fail }}' };
	const directory = new SiteDirectory('1001 Storvågen');
	const read = async (sites: string) => {
		const fields = evaluateFields(contextOf({ ...parameters, sites }).context);
		return await readSettings(new Parameters(fields, directory));
	};

	expect((await read('all')).siteIds).toEqual([1001]);
	await expect(read('byId')).rejects.toThrow('No such thing');
});
