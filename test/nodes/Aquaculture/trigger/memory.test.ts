import type { IDataObject } from 'n8n-workflow';
import {
	recall,
	recallTold,
	remember,
	rememberTold,
	sourceOf,
	type Memory,
} from '../../../../nodes/Aquaculture/trigger/memory';

const SOURCE = 'https://data.example.com 2023-01-01';
const MEMORY: Memory = new Map([
	[
		1001,
		{
			siteName: null,
			info: { fields: null, values: { license: 'L', depth: { max: 40 } } },
			units: { kinds: ['any'], list: [{ unitId: 1, unitName: 'Merd 1', volume: 5 }] },
		},
	],
	[-7, { siteName: 'A', others: { additionalIncludes: ['sensors'], values: {} } }],
]);

const stored = (): IDataObject => {
	const staticData: IDataObject = {};
	remember(staticData, SOURCE, MEMORY);
	return JSON.parse(JSON.stringify(staticData)) as IDataObject;
};
const NOTHING = new Map();

describe('the memory of a trigger', () => {
	it('comes back as it was stored', () => {
		expect(recall(stored(), SOURCE)).toEqual(MEMORY);
		expect([...recall(stored(), SOURCE).keys()].sort()).toEqual([-7, 1001]);
	});

	it('is of no use for another service', () => {
		expect(recall(stored(), 'https://test.example.com 2023-01-01')).toEqual(NOTHING);
	});

	it.each<[string, IDataObject]>([
		['nothing', {}],
		['another form', { ...stored(), version: 2 }],
		['no form', { ...stored(), version: undefined }],
		['something else', { lastTimeChecked: '2026-03-02', sites: [] }],
	])('that holds %s counts as none', (_name, staticData) => {
		expect(recall(staticData, SOURCE)).toEqual(NOTHING);
	});

	it.each<[string, unknown]>([
		['null', null],
		['a text', 'edited'],
		['a name that is none', { siteName: 7 }],
		['info without values', { info: { fields: null } }],
		['info fields that are no list', { info: { fields: 'license', values: {} } }],
		['a unit that is none', { units: { kinds: [], list: [5] } }],
		['units with an ID that is none', { units: { kinds: [], list: [{ unitId: 'x' }] } }],
	])('with %s in place of a site still holds the others', (_name, damaged) => {
		const staticData = stored();
		(staticData.sites as IDataObject)['1001'] = damaged as IDataObject;

		expect([...recall(staticData, SOURCE).keys()]).toEqual([-7]);
	});

	it.each([null, 'edited', [], 7])('with %j in place of all sites holds none', (damaged) => {
		const staticData = { ...stored(), sites: damaged } as IDataObject;

		expect(recall(staticData, SOURCE).size).toBe(0);
	});

	it('holds of which failures was told', () => {
		const staticData = stored();
		const told = [{ subject: '1001', cause: '404', at: 5, isOver: false }];
		rememberTold(staticData, told);

		expect(recallTold(staticData)).toEqual(told);
		expect(recall(staticData, SOURCE).size).toBe(2);
		for (const damaged of [null, 'edited', [{ subject: 1001 }], { 1001: 5 }, undefined]) {
			expect(recallTold({ told: damaged } as unknown as IDataObject)).toEqual([]);
		}
	});
});

describe('the source of what is remembered', () => {
	const connection = {
		baseUrl: 'https://data.example.com',
		username: 'farm',
		password: 'secret',
		dataVersion: '2023-01-01',
	};
	const source = sourceOf(connection, undefined);

	it('is the same for the same account, whatever its password is', () => {
		expect(sourceOf({ ...connection, password: 'another' } as typeof connection, undefined)).toBe(
			source,
		);
		expect(sourceOf(connection, '2023-01-01')).toBe(source);
	});

	it('is another one for another address, account or version', () => {
		const others = [
			sourceOf({ ...connection, baseUrl: 'https://test.example.com' }, undefined),
			sourceOf({ ...connection, username: 'farm2' }, undefined),
			sourceOf({ ...connection, dataVersion: '2024-06-01' }, undefined),
			sourceOf(connection, '2024-06-01'),
		];

		expect(others).not.toContain(source);
	});

	it('does not show the username', () => {
		expect(source).not.toMatch(/farm/);
	});
});
