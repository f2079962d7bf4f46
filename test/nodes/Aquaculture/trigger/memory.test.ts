import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { TriggerMemory, type RememberedSite } from '../../../../nodes/Aquaculture/trigger/memory';
import type { RawSite } from '../../../../nodes/Aquaculture/service/site';
import { MINUTE_MS } from '../../../../nodes/Aquaculture/utils/time';

const contextWith = (staticData: IDataObject) =>
	({ getWorkflowStaticData: () => staticData }) as unknown as IPollFunctions;
const remembered = (site: RawSite): RememberedSite => ({
	site,
	baselineAt: '2026-03-02T07:00:00.000Z',
	changeKinds: ['licenseChanged'],
});
const SITES = new Map([
	[1001, remembered({ siteName: null, info: { license: 'L', depth: { max: 40 } }, units: [] })],
	[-7, remembered({ siteName: 7, constructor: 1, info: 'closed', units: [5, { unitId: 'A' }] })],
]);
const NONE = new Map();
const REPORTED = { reportedPeriod: 'daily 2026-03-02' };
const CONTENT = { memoryKey: 'somewhere', sites: SITES, ...REPORTED };

const stored = (): IDataObject => {
	const staticData: IDataObject = {};
	new TriggerMemory().keep(contextWith(staticData), CONTENT);
	return JSON.parse(JSON.stringify(staticData)) as IDataObject;
};
const load = (staticData: IDataObject, memoryKey = 'somewhere', memory = new TriggerMemory()) =>
	memory.load(contextWith(staticData), memoryKey);

describe('the memory of a trigger', () => {
	it('loads what n8n has stored, but no sites of another place', () => {
		expect(load(stored())).toEqual({ remembered: SITES, handedOver: SITES, ...REPORTED });
		expect(load(stored(), 'elsewhere')).toEqual({
			remembered: NONE,
			handedOver: NONE,
			...REPORTED,
		});
	});

	it('continues with the newest one, although the clock was set back', () => {
		const memory = new TriggerMemory();
		memory.keep(contextWith({}), CONTENT);
		const newer = { memoryKey: 'somewhere', keptAt: Date.now() + MINUTE_MS };
		expect(load(newer, 'somewhere', memory).remembered.size).toBe(0);

		memory.keep(contextWith({ ...newer }), CONTENT);
		memory.keep(contextWith({}), CONTENT);
		const loaded = load(newer, 'somewhere', memory);
		expect(loaded).toEqual({ remembered: SITES, handedOver: NONE, ...REPORTED });
	});

	it.each<[string, unknown]>([
		['null', null],
		['a site that is a list', { site: [], baselineAt: '2026', changeKinds: [] }],
		['no site', { baselineAt: '2026', changeKinds: [] }],
		['no time', { site: {}, changeKinds: [] }],
		['no kinds of changes', { site: {}, baselineAt: '2026' }],
	])('loads the other sites if one is %s', (_name, damaged) => {
		const sites = { ...(stored().sites as IDataObject), 1001: damaged } as IDataObject;

		expect([...load({ ...stored(), sites }).remembered.keys()]).toEqual([-7]);
	});
});
