import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import {
	TriggerMemory,
	type RememberedSite,
	type RememberedSites,
} from '../../../../nodes/Aquaculture/polling/memory';
import type { SentSite } from '../../../../nodes/Aquaculture/service/site';
import { MINUTE_MS } from '../../../../nodes/Aquaculture/utils/time';

const contextWith = (staticData: IDataObject) =>
	({ getWorkflowStaticData: () => staticData }) as unknown as IPollFunctions;
const remembered = (site: SentSite): RememberedSite => ({
	site,
	readAt: '2026-03-02T07:00:00.000Z',
	watched: ['licenseChanged'],
});
const SITES: RememberedSites = new Map([
	[1001, remembered({ siteName: null, info: { license: 'L', depth: { max: 40 } }, units: [] })],
	[-7, remembered({ siteName: 7, constructor: 1, info: 'closed', units: [5, { unitId: 'A' }] })],
]);
const CONTENT = { memoryKey: 'somewhere', sites: SITES, reportedPeriod: '2026-03-02' };

const stored = (): IDataObject => {
	const staticData: IDataObject = {};
	new TriggerMemory().keep(contextWith(staticData), CONTENT);
	return JSON.parse(JSON.stringify(staticData)) as IDataObject;
};
/** Loads the memory in a process that has none. */
const load = (staticData: IDataObject, memoryKey = 'somewhere') =>
	new TriggerMemory().load(contextWith(staticData), memoryKey);

describe('the memory of a trigger', () => {
	it('loads the sites as stored, but none of another place', () => {
		expect(load(stored()).remembered).toEqual(SITES);
		expect(load(stored(), 'elsewhere').remembered.size).toBe(0);
	});

	it('loads which status report was the last, also of another place', () => {
		expect(load(stored(), 'elsewhere').reportedPeriod).toBe('2026-03-02');
	});

	it.each([
		['an older one', -1, SITES.size],
		['a newer one', 1, 0],
	])('continues with the newest one if n8n has stored %s', (_name, laterMs, size) => {
		const staticData: IDataObject = {};
		const context = contextWith(staticData);
		const memory = new TriggerMemory();
		memory.keep(context, CONTENT);
		staticData.keptAt = Number(staticData.keptAt) + laterMs;
		delete staticData.sites;

		const { remembered, stored: nothing } = memory.load(context, 'somewhere');
		expect([remembered.size, nothing.size]).toEqual([size, 0]);
	});

	it('continues with its own one, although the clock was set back after n8n had stored another', () => {
		const before = { keptAt: Date.now() + MINUTE_MS };
		const memory = new TriggerMemory();
		memory.keep(contextWith({ ...before }), CONTENT);

		expect(memory.load(contextWith(before), 'somewhere').remembered).toEqual(SITES);
	});

	it.each<IDataObject>([
		{},
		{ lastItem: '2026-03-02' },
		...[null, 'edited', [], [5], 7].map((sites) => ({ ...stored(), sites }) as IDataObject),
	])('loads no sites from %j', (staticData) => {
		expect(load(staticData).remembered.size).toBe(0);
	});

	it.each<[string, unknown]>([
		['null', null],
		['a text', 'edited'],
		['a site that is a list', { site: [], readAt: '2026', watched: [] }],
		['no site', { readAt: '2026', watched: [] }],
		['no time', { site: {}, watched: [] }],
		['no kinds of changes', { site: {}, readAt: '2026' }],
	])('loads the other sites if one is %s', (_name, damaged) => {
		const sites = { ...(stored().sites as IDataObject), 1001: damaged } as IDataObject;

		expect([...load({ ...stored(), sites }).remembered.keys()]).toEqual([-7]);
	});
});
