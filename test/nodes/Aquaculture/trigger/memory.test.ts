import type { IDataObject } from 'n8n-workflow';
import { loadMemory, saveMemory, type Memory } from '../../../../nodes/Aquaculture/trigger/memory';

const MEMORY: Memory = {
	source: 'somewhere',
	sites: new Map([
		[
			1001,
			{
				siteName: null,
				info: { fields: null, values: { license: 'L', depth: { max: 40 } } },
				units: { kinds: ['any'], list: [{ unitId: 1, unitName: 'Merd 1', volume: 5 }] },
			},
		],
		[-7, { siteName: 'A', others: { additionalIncludes: ['sensors'], values: {} } }],
	]),
	failures: [
		{ subject: 1001, cause: '404', at: 5, isOver: false },
		{ subject: 'account', cause: '401', at: 5, isOver: true },
	],
	revision: 7,
};
const NOTHING: Memory = { source: '', sites: new Map(), failures: [], revision: 0 };

const stored = (): IDataObject => {
	const staticData: IDataObject = {};
	saveMemory(staticData, MEMORY);
	return JSON.parse(JSON.stringify(staticData)) as IDataObject;
};

describe('the memory of a trigger', () => {
	it('comes back as it was stored', () => {
		expect(loadMemory(stored())).toEqual(MEMORY);
	});

	it.each<[string, IDataObject]>([
		['nothing', {}],
		['another form', { ...stored(), version: 2 }],
		['no form', { ...stored(), version: undefined }],
		['no source', { ...stored(), source: 7 }],
	])('that holds %s counts as none', (_name, staticData) => {
		expect(loadMemory(staticData)).toEqual(NOTHING);
	});

	it.each<[keyof Memory, unknown[]]>([
		['sites', [undefined, null, 'edited', [], 7]],
		['failures', [undefined, null, 'edited', [{ subject: 1001 }], { 1001: 5 }]],
		['failures', [[{ subject: '1001', cause: '404', at: 5, isOver: false }]]],
		['revision', [undefined, null, '7', 1.5, Number.NaN]],
	])('with damaged %s still holds the rest', (part, damages) => {
		for (const damaged of damages) {
			const memory = loadMemory({ ...stored(), [part]: damaged } as IDataObject);

			expect(memory).toEqual({ ...MEMORY, [part]: NOTHING[part] });
		}
	});

	it.each<[string, unknown]>([
		['null', null],
		['a text', 'edited'],
		['a number as its name', { siteName: 7 }],
		['info without values', { info: { fields: null } }],
		['a text as the list of its info fields', { info: { fields: 'license', values: {} } }],
		['a number as a unit', { units: { kinds: [], list: [5] } }],
		['a text as the ID of a unit', { units: { kinds: [], list: [{ unitId: 'x' }] } }],
	])('with %s in place of a site still holds the others', (_name, damaged) => {
		const sites = { ...(stored().sites as IDataObject), 1001: damaged } as IDataObject;

		expect([...loadMemory({ ...stored(), sites }).sites.keys()]).toEqual([-7]);
	});
});
