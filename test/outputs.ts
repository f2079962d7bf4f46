/* The columns of all outputs, in order, with the types of their values. */

const TEXT = 'string | null';
const NUMBER = 'number | null';

const INFO = {
	...{ longitude: 'number', latitude: 'number', type: 'string', code: 'string' },
	...{ license: 'string', maxTotalBiomass: 'number', timezone: 'string' },
};
const SITE = { siteId: 'number', siteName: 'string' };
const UNIT = { unitId: 'number', unitName: 'string', longitude: 'number', latitude: 'number' };
const SITE_ROW = { siteId: 'number', siteName: TEXT };
const UNIT_ROW = {
	...SITE_ROW,
	...{ unitId: NUMBER, unitName: TEXT, longitude: NUMBER, latitude: NUMBER },
};
const OF_SITE = ['unitName', 'unitId'];

/** If one of these changes, people's tables, mails and expressions break; see docs/maintaining.md. */
export const OUTPUTS = {
	'Get Site, Get Many Sites: Simplify off': { ...SITE, info: INFO, units: [UNIT] },
	'Get Site, Get Many Sites: Simplify off, nothing included': SITE,
	'Get Site, Get Many Sites: Simplify off, Include Response Details': {
		...{ statusCode: 'number', headers: 'object', body: { ...SITE, info: INFO } },
	},
	'Get Site, Get Many Sites: Simplify on': {
		...{ ...SITE_ROW, code: TEXT, type: TEXT, license: TEXT, maxTotalBiomass: NUMBER },
		...{ timezone: TEXT, longitude: NUMBER, latitude: NUMBER, numberOfUnits: NUMBER },
	},
	'Get Site, Get Many Sites: Simplify on, nothing included': SITE_ROW,
	'Get Units': UNIT_ROW,
	'Get Units: Include Site Info': {
		...{ ...UNIT_ROW, siteCode: TEXT, siteType: TEXT, siteLicense: TEXT },
		...{ siteMaxTotalBiomass: NUMBER, siteTimezone: TEXT },
		...{ siteLongitude: NUMBER, siteLatitude: NUMBER },
	},
	'Failed item': {
		...{ error: 'string', siteId: NUMBER, siteName: TEXT, description: 'string', httpCode: TEXT },
	},
	'Failed item on the error branch': { error: 'string', message: 'string' },
	'Failed call of the tool': { error: 'string' },
	'Call of the tool that finds nothing': { message: 'string' },
	'Aquaculture Trigger': {
		...{ summary: 'string', siteName: TEXT, unitName: TEXT, fieldName: 'string' },
		oldValue: 'boolean | number | string | null',
		newValue: 'boolean | number | string | null',
		...{ seenAt: 'string', siteId: NUMBER, unitId: NUMBER },
		...{ change: 'string', field: TEXT, changeId: 'string' },
	},
};

/** By kind of item of the trigger. */
export const EMPTY_COLUMNS = {
	...{ siteRenamed: OF_SITE, licenseChanged: OF_SITE, biomassLimitChanged: OF_SITE },
	...{ infoChanged: OF_SITE, siteChanged: OF_SITE },
	...{ unitAdded: ['oldValue', 'field'], unitRemoved: ['newValue', 'field'] },
	...{ unitRenamed: [], unitMoved: [], unitChanged: [] },
	statusReport: ['siteName', 'unitName', 'oldValue', 'newValue', 'siteId', 'unitId', 'field'],
};
