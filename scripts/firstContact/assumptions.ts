import type { AxiosRequestConfig } from 'axios';
import type { CredentialSettings } from '../../nodes/Aquaculture/login/credentialSettings';
import { siteInfoSchema, siteSchema, unitSchema } from '../../nodes/Aquaculture/service/siteSchema';
import { TOKEN_PATH } from '../../nodes/Aquaculture/service/constants';

export interface Target {
	settings: CredentialSettings;
	siteId: number;
}

/** A request, and what the package assumes about its answer, as the report words it. */
export interface Probe {
	title: string;
	assumed: readonly string[];
	isLogin: boolean;
	/** @param tokens of earlier logins. */
	request: (tokens: readonly string[]) => AxiosRequestConfig;
}

/** Lists the requests in order. A login with a wrong password is not among them: it may lock the account. */
export function buildProbes({ settings, siteId }: Target): Probe[] {
	const { baseUrl, versionHeader, tokenVersion, dataVersion, username, password } = settings;
	const login = (title: string): Probe => ({
		title,
		assumed: ['a token'],
		isLogin: true,
		request: () => ({
			method: 'POST',
			url: baseUrl + TOKEN_PATH,
			headers: { [versionHeader]: tokenVersion },
			data: { username, password },
		}),
	});
	const site = (
		title: string,
		assumed: string[],
		{ query = '', id = siteId, version = dataVersion, pickToken = last }: SiteRequest = {},
	): Probe => ({
		title,
		assumed,
		isLogin: false,
		request: (tokens) => ({
			url: `${baseUrl}/meta/sites/${id}${query}`,
			headers: { Authorization: `Bearer ${pickToken(tokens)}`, [versionHeader]: version },
		}),
	});
	const including = (query: string, assumed: string) =>
		site(`Site with \`${query}\``, [assumed], { query: `?${query}` });
	return [
		login('Login'),
		including('$include=units,info', 'a site with info and units'),
		site('Site without `$include`', ['a site']),
		including('$include=info', 'a site with info'),
		including('$include=units', 'a site with units'),
		including('%24include=units,info', 'a site with info and units'),
		including('$include=units%2Cinfo', 'a site with info and units'),
		including('include=units,info', 'a site'),
		// Small enough for 32 bits.
		site('Unknown site', ['status 404'], { id: 999_999_999 }),
		site('Site, old version', ['status 400'], { version: '1900-01-01' }),
		login('Second login'),
		// A login may revoke earlier tokens.
		site('Site, token of the first login', ['a site', 'status 401'], { pickToken: first }),
		site('Site, wrong token', ['status 401'], { pickToken: tamper }),
	];
}

/** Differences from a request for the given site with the newest token. */
interface SiteRequest {
	/** As sent. */
	query?: string;
	id?: number;
	version?: string;
	pickToken?: (tokens: readonly string[]) => string;
}

const first = ([token = '']: readonly string[]) => token;
const last = (tokens: readonly string[]) => tokens.at(-1) ?? '';

/** Changes a character near the end of the newest token, which is the signature of a JWT. */
function tamper(tokens: readonly string[]): string {
	const token = last(tokens);
	const index = Math.max(0, token.length - 10);
	return token.slice(0, index) + (token[index] === 'A' ? 'B' : 'A') + token.slice(index + 1);
}

/** Which of the documented fields are required is not documented. */
export const FIELDS = {
	token: ['access_token', 'expires_in', 'token_type'],
	site: Object.keys(siteSchema.shape),
	info: Object.keys(siteInfoSchema.shape),
	unit: Object.keys(unitSchema.shape),
	failure: ['code', 'message', 'traceId'],
};
