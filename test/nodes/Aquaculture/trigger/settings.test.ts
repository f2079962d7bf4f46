import type { IPollFunctions } from 'n8n-workflow';
import { Parameters } from '../../../../nodes/Aquaculture/fields/parameters';
import { evaluateFields, readSettings } from '../../../../nodes/Aquaculture/trigger/settings';
import { nodeOf } from '../nodeOf';
import { transportTo } from '../transport/transportTo';

const TRIGGER = 'n8n-nodes-aquaculture.aquacultureTrigger';

describe('the settings of a trigger', () => {
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

	it('are evaluated before anything is waited for', () => {
		const { context, release } = contextOf({ sites: 'byId', siteIds: '={{ ids }}' });
		const fields = evaluateFields(context);
		release();

		expect(readSettings(new Parameters(fields)).siteIds).toEqual([1001, 1002]);
	});

	it('may hold an expression that fails where it is not used', () => {
		const parameters = { sites: 'all', siteIds: '={{ fail }}' };
		const transport = transportTo('http://localhost');
		transport.credential.knownSites = '1001 Storvågen';
		const read = (sites: string) => {
			const fields = evaluateFields(contextOf({ ...parameters, sites }).context);
			return readSettings(new Parameters(fields, transport));
		};

		expect(read('all').siteIds).toEqual([1001]);
		expect(() => read('byId')).toThrow('No such thing');
	});
});
