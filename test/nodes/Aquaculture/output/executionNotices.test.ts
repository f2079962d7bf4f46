import { KnownSites } from '../../../../nodes/Aquaculture/input/knownSites';
import {
	buildNotices,
	createOutcome,
	type ExecutionFacts,
	type SiteOutcome,
} from '../../../../nodes/Aquaculture/output/executionNotices';
import { unitRows } from '../../../../nodes/Aquaculture/output/rows';
import type { RawSite } from '../../../../nodes/Aquaculture/service/site';
import { readSite } from '../../../../nodes/Aquaculture/service/siteSchema';

const shown = (facts: Partial<ExecutionFacts>) =>
	buildNotices({ hasErrorOutput: false, ...facts }).map(
		({ type, message }) => `${type}: ${message}`,
	);

const site = (result: SiteOutcome['result'], name: string) => ({ result, name });
const FAILED = [site('failed', '1'), site('failed', 'Vik (2)')];
const UNKNOWN = [site('notFound', '3'), site('notFound', '4')];
const EMPTY = site('empty', '5');
const knownSites = (text: string, inputItems: number) => ({
	allKnownSites: { sites: new KnownSites(text), inputItems },
});
const waiting = (slowedBy: 'rate' | 'refusals' | 'service', waitedMs = 1000, tookMs = 1400) => ({
	statistics: { slowedBy, waitedMs, tookMs },
});
const CHECK_ADDRESS = "If that is wrong, check 'Base URL' in the credential";
const EVERYTHING = {
	...{ outcomes: [EMPTY, ...UNKNOWN, ...FAILED, site('read', '6')], unusableItems: 2 },
	...{ ...knownSites('1001 Vik\nNord 2\n1001 A', 300), ...waiting('rate', 90_000, 149_000) },
};
const ONE = { outcomes: [site('read', '6')] };

it.each<[Partial<ExecutionFacts>, ...string[]]>([
	[
		EVERYTHING,
		"warning: Lines of 'Known Sites' in the credential that add no site were left out: line 2 (Nord 2), line 3 (1001 A). Write one site per line, its ID first. If a number belongs to a name, put the name in double quotes",
		"warning: 2 of 6 sites could not be read: 1, Vik (2). See the field 'error'",
		"warning: 2 input items could not be used: see the field 'error'",
		'warning: Sites that the service does not know were left out: 3, 4',
		'info: Sites without units: 5',
		"info: With 'All Sites', the node runs once, with the settings of the first of 300 input items",
		'info: 6 sites took 2 minutes because of the request limit of the account. Other workflows and triggers share it',
	],
	[
		{ hasErrorOutput: true, outcomes: FAILED, unusableItems: 1 },
		"warning: 2 of 2 sites could not be read: 1, Vik (2). See the tab 'Error Branch'",
		"warning: 1 input item could not be used: see the tab 'Error Branch'",
	],
	[{ outcomes: [EMPTY] }, 'info: The site has no units'],
	[{ outcomes: FAILED.slice(1) }, "warning: The site could not be read: see the field 'error'"],
	[
		{ outcomes: UNKNOWN.slice(1) },
		`warning: The service does not know the site, so it was left out. ${CHECK_ADDRESS}`,
	],
	[{ outcomes: UNKNOWN }, `warning: The service knows none of the 2 sites. ${CHECK_ADDRESS}`],
	[
		{ ...ONE, ...waiting('refusals') },
		'info: 1 site took 1 second because the service refused requests: there were too many. Other programs may use the account',
	],
	[
		{ ...ONE, ...waiting('service') },
		'info: 1 site took 1 second mostly because the service was slow to answer, or down for a while',
	],
	[{ ...ONE, ...knownSites('6', 1), ...waiting('rate', 999) }],
])('the notices of %j', (facts, ...notices) => {
	expect(shown(facts)).toEqual(notices);
});

const AS_SENT = 'returned as the service sent it';
const LEFT_OUT = 'left out of the rows';
const UNITS = [{ unitId: 'a' }, { unitId: 'b' }, { unitId: 3, unitName: 4 }];
const CLOSED = { info: 'closed', units: {} };
const ODD = { info: { longitude: '8.4', latitude: 'x' }, units: UNITS };
const ODD_ID = { siteId: '7.0', info: { longitude: '8.4' }, units: UNITS };
const LARGE_ID = { info: {}, units: [{ unitId: 2 ** 53, unitName: 4 }] };

it.each<['site' | 'unit' | 'none', RawSite[], ...string[]]>([
	[
		'none',
		[ODD, ODD_ID, CLOSED],
		`'info.longitude' is not a number for 2 sites: ${AS_SENT}`,
		`'info.latitude' is not a number for 1 site: ${AS_SENT}`,
		`'units.unitId' is not a whole number for 2 sites: ${AS_SENT}`,
		`'units.unitName' is not text for 2 sites: ${AS_SENT}`,
		`'siteId' is not a whole number for 1 site: ${AS_SENT}`,
		`'info' is not an object for 1 site: ${AS_SENT}`,
		`'units' is not a list of objects for 1 site: ${AS_SENT}`,
	],
	[
		'site',
		[CLOSED, { info: { code: 7 }, units: UNITS }],
		`'info' is not an object for 1 site: ${LEFT_OUT}`,
		`'units' is not a list of objects for 1 site: ${LEFT_OUT}`,
		`'info.code' is not text for 1 site: ${AS_SENT}`,
	],
	[
		'unit',
		[LARGE_ID, { info: {}, units: [null] }],
		"'units.unitId' is too large to be read exactly for 1 site: returned, but its last digits may be wrong",
		`'units.unitName' is not text for 1 site: ${AS_SENT}`,
		`'units' is not a list of objects for 1 site: ${LEFT_OUT}`,
	],
	[
		'unit',
		[{ info: null, units: [] }, { siteName: 'Vik' }, { info: {} }],
		'The service sent no units for 2 of 3 sites',
		'The service sent no info for 1 of 3 sites',
		'Sites without units: 7',
	],
	['unit', [{ units: [] }], 'The service sent no info for the site'],
])('deviations, with a row for each %s: %j', (rowType, answers, ...notices) => {
	const outcomes = answers.map((answer) => {
		const requested = {
			...{ site: { siteId: 7, siteName: null }, expectedSections: ['units', 'info'] },
			...(rowType !== 'none' && { rowType }),
		};
		const { value } = readSite(answer, 7);
		if (!value) throw new Error('It is another site');
		const items = rowType === 'unit' ? unitRows(value.json, 7, false) : [value.json];
		return createOutcome(requested, value, items.length);
	});

	expect(shown({ outcomes }).map((text) => text.replace(/^\w+: /, ''))).toEqual(notices);
});
