import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import {
	keepMemory,
	loadMemory,
	type Memory,
	type RememberedSite,
} from '../../../../nodes/Aquaculture/trigger/memory';
import type { SentSite } from '../../../../nodes/Aquaculture/service/site';

const remembered = (site: SentSite): RememberedSite => ({
	site,
	firstSeenAt: '2026-03-02T07:00:00.000Z',
	changedAt: { '[null,"license"]': '2026-03-02T08:00:00.000Z' },
});
const MEMORY: Memory = {
	source: 'somewhere',
	storedAt: 7,
	sites: new Map([
		[1001, remembered({ siteName: null, info: { license: 'L', depth: { max: 40 } }, units: [] })],
		[-7, remembered({ siteName: 7, constructor: 1, info: 'closed', units: [5, { unitId: 'A' }] })],
	]),
};

const stored = (): IDataObject => {
	const staticData: IDataObject = {};
	keepMemory(
		{ getWorkflowStaticData: () => staticData } as unknown as IPollFunctions,
		MEMORY,
		false,
	);
	return JSON.parse(JSON.stringify(staticData)) as IDataObject;
};

describe('the memory of a trigger', () => {
	it('loads the memory as stored', () => {
		expect(loadMemory(stored())).toEqual(MEMORY);
	});

	it.each<IDataObject>([
		{},
		{ lastItem: '2026-03-02' },
		...[null, 'edited', [], [5], 7].map((sites) => ({ ...stored(), sites }) as IDataObject),
	])('loads no sites from %j', (staticData) => {
		expect(loadMemory(staticData).sites.size).toBe(0);
	});

	it.each<[string, unknown]>([
		['null', null],
		['a text', 'edited'],
		['a site that is a list', { site: [], firstSeenAt: '2026', changedAt: {} }],
		['no times of changes', { site: {}, firstSeenAt: '2026' }],
		['no site', { firstSeenAt: '2026', changedAt: {} }],
		['no time', { site: {} }],
	])('loads the other sites if one is %s', (_name, damaged) => {
		const sites = { ...(stored().sites as IDataObject), 1001: damaged } as IDataObject;

		expect([...loadMemory({ ...stored(), sites }).sites.keys()]).toEqual([-7]);
	});
});
