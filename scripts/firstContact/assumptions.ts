/** One request to the service, and what the package assumes of the answer. */
export interface Probe {
	/** Of the site's address, as it is on the wire. */
	query?: string;
	/** What is special about a request without a query. */
	title?: string;
	isLogin?: boolean;
	isUnknownSite?: boolean;
	/** In place of the version for data. */
	version?: string;
	/** In place of the token of the last login. */
	token?: 'first' | 'wrong';
	assumed: string;
	/** Matches what is as assumed: the status, and what is in the answer. */
	holds: RegExp;
}

/** What is asked, in this order. A login with a wrong password is not among it: it may lock the account. */
export const PROBES: readonly Probe[] = [
	{ title: 'Login', isLogin: true, assumed: 'A token', holds: /a token$/ },
	{ query: '$include=units,info', assumed: 'Both parts', holds: /info and units$/ },
	{ title: 'Site without `$include`', assumed: 'Neither part', holds: /neither part$/ },
	{ query: '$include=info', assumed: '`info` alone', holds: /, info$/ },
	{ query: '$include=units', assumed: '`units` alone', holds: /, units$/ },
	{ query: '%24include=units,info', assumed: 'As with a plain `$`', holds: /info and units$/ },
	{ query: '$include=units%2Cinfo', assumed: 'As with a plain comma', holds: /info and units$/ },
	{ query: 'include=units,info', assumed: 'Not known: neither part', holds: /neither part$/ },
	{ title: 'Unknown site', isUnknownSite: true, assumed: 'Status 404', holds: /^404/ },
	{ title: 'Site, old version', version: '1900-01-01', assumed: 'Status 400', holds: /^400/ },
	{ title: 'Second login', isLogin: true, assumed: 'A token', holds: /a token$/ },
	{
		title: 'Site with the token of the first login',
		token: 'first',
		assumed: 'The site, or status 401 or 403: a login may end earlier tokens',
		holds: /neither part$|^40[13]/,
	},
	{ title: 'Site, wrong token', token: 'wrong', assumed: 'Status 401 or 403', holds: /^40[13]/ },
];

/** What the package assumes of the answers together, with a pattern of what is as assumed. */
export const ASSUMPTIONS = {
	'Form of the token': {
		assumed: 'The characters of a bearer token; it may be a JWT',
		holds: /those/,
	},
	'Lifetime in the token': {
		assumed: '`exp` less `iat`, in seconds, if it has both',
		holds: /^It|^\d/,
	},
	'Unit of `expires_in`': {
		assumed: 'Seconds; used only if the token does not say it',
		holds: /: seconds$/,
	},
	'`siteId` of the answer': {
		assumed: 'The number that was asked for, missing or null',
		holds: /^The number/,
	},
	'Body of an unsuccessful answer': {
		assumed: 'Texts `code`, `message`, `traceId`, or some',
		holds: /^Such/,
	},
};

/** The documented fields of a site (docs/service-interface.md). Whether a field is required is not documented. */
export const SITE_FIELDS = {
	site: { siteId: 'whole number', siteName: 'text', info: 'object', units: 'list' },
	info: {
		longitude: 'number',
		latitude: 'number',
		type: 'text',
		code: 'text',
		license: 'text',
		maxTotalBiomass: 'number',
		timezone: 'text',
	},
	unit: { unitId: 'whole number', unitName: 'text', longitude: 'number', latitude: 'number' },
};

/** The types in which a field may be sent, by the documented one. */
export const ACCEPTED_TYPES: Record<string, RegExp> = {
	'whole number': /^(whole number|missing|null)$/,
	number: /^(number|whole number|missing|null)$/,
	text: /^(text|number in a text|missing|null)$/,
	object: /^(object|missing|null)$/,
	list: /^(list|missing|null)$/,
};
