/** One request to the service, and what the package assumes of the answer: words of {@link seenIn}. */
export interface Probe {
	title: string;
	assumed: readonly string[];
	isLogin?: boolean;
	/** Of the site's address, as it is on the wire. */
	query?: string;
	/** In place of the site that was typed, one that no service is expected to have. */
	isUnknownSite?: boolean;
	/** In place of the version for data. */
	version?: string;
	/** In place of the token of the last login. */
	token?: 'first' | 'wrong';
}

const reading = (query: string, assumed: string): Probe => ({
	title: `Site with \`${query}\``,
	query: `?${query}`,
	assumed: [assumed],
});

/** What is asked, in this order. A login with a wrong password is not among it: it may lock the account. */
export const PROBES: readonly Probe[] = [
	{ title: 'Login', isLogin: true, assumed: ['a token'] },
	reading('$include=units,info', 'a site with info and units'),
	{ title: 'Site without `$include`', assumed: ['a site'] },
	reading('$include=info', 'a site with info'),
	reading('$include=units', 'a site with units'),
	reading('%24include=units,info', 'a site with info and units'),
	reading('$include=units%2Cinfo', 'a site with info and units'),
	reading('include=units,info', 'a site'),
	{ title: 'Unknown site', isUnknownSite: true, assumed: ['status 404'] },
	{ title: 'Site, old version', version: '1900-01-01', assumed: ['status 400'] },
	{ title: 'Second login', isLogin: true, assumed: ['a token'] },
	// A login may end earlier tokens.
	{ title: 'Site, token of the first login', token: 'first', assumed: ['a site', 'status 401'] },
	{ title: 'Site, wrong token', token: 'wrong', assumed: ['status 401'] },
];

/** The documented fields and their types (docs/service-interface.md). Whether a field is required is not documented. */
export const FIELDS = {
	token: { access_token: 'text', expires_in: 'text', token_type: 'text' },
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
	failure: { code: 'text', message: 'text', traceId: 'text' },
};
