import { siteDocument } from '../../api/site';
import { tokenUrl } from '../../api/tokenEndpoint';
import type { Connection } from '../../shared/connection';

/** One request, and how a report names it. */
interface Probe {
	title: string;
	isLogin?: boolean;
	/** Of the site's address, as it is on the wire. */
	query?: string;
	isUnknownSite?: boolean;
	/** In place of the version for data. */
	version?: string;
	/** In place of the token of the last login. */
	token?: 'first' | 'wrong';
}

/** Earlier than any version that docs/service-interface.md shows. */
const BAD_VERSION = '1900-01-01';

/** IDs that no site is expected to have, small enough for 32 bits. */
const UNLIKELY_IDS = [999_999_999, 999_999_998] as const;

/** What is asked, in this order. A login with a wrong password is not among it: it may lock the account. */
const PROBES = {
	login: { title: 'Login', isLogin: true },
	both: { title: 'Site with `$include=units,info`', query: '?$include=units,info' },
	none: { title: 'Site without `$include`' },
	info: { title: 'Site with `$include=info`', query: '?$include=info' },
	units: { title: 'Site with `$include=units`', query: '?$include=units' },
	encodedDollar: {
		title: 'Site with `%24include=units,info`',
		query: '?%24include=units,info',
	},
	encodedComma: {
		title: 'Site with `$include=units%2Cinfo`',
		query: '?$include=units%2Cinfo',
	},
	otherName: { title: 'Site with `include=units,info`', query: '?include=units,info' },
	unknownSite: { title: 'Unknown site', isUnknownSite: true },
	badVersion: { title: `Site with the version ${BAD_VERSION}`, version: BAD_VERSION },
	secondLogin: { title: 'Second login', isLogin: true },
	firstToken: { title: 'Site with the token of the first login', token: 'first' },
	wrongToken: { title: 'Site with a wrong token', token: 'wrong' },
} as const satisfies Record<string, Probe>;

export type ProbeName = keyof typeof PROBES;

export const PROBE_NAMES = Object.keys(PROBES) as ProbeName[];

export function probeOf(name: ProbeName): Probe {
	return PROBES[name];
}

/** Where requests go. */
export interface Target {
	connection: Connection;
	siteId: number;
}

export interface Request {
	method: 'GET' | 'POST';
	url: string;
	headers: Record<string, string>;
	body?: object;
}

/** @param tokens those that were issued, the oldest first. */
export function requestFor(
	{ isLogin, query = '', isUnknownSite, version, token }: Probe,
	{ connection, siteId }: Target,
	tokens: readonly string[],
): Request {
	const { baseUrl, versionHeader, tokenVersion, dataVersion, username, password } = connection;
	if (isLogin) {
		return {
			method: 'POST',
			url: tokenUrl(baseUrl),
			headers: {
				Accept: 'application/json',
				'Content-Type': 'application/json',
				[versionHeader]: tokenVersion,
			},
			body: { username, password },
		};
	}
	const [first = '', last = first] = [tokens[0], tokens.at(-1)];
	const sent = token === 'first' ? first : token === 'wrong' ? altered(last) : last;
	const { path } = siteDocument(isUnknownSite ? otherThan(siteId) : siteId, []);
	return {
		method: 'GET',
		url: `${baseUrl}${path}${query}`,
		headers: {
			Accept: 'application/json',
			Authorization: `Bearer ${sent}`,
			[versionHeader]: version ?? dataVersion,
		},
	};
}

function otherThan(siteId: number): number {
	const [usual, other] = UNLIKELY_IDS;
	return siteId === usual ? other : usual;
}

/** A token of the same form, with another signature where it is a JWT. */
function altered(token: string): string {
	const place = Math.max(0, token.length - 10);
	const character = token[place] === 'A' ? 'B' : 'A';
	return token.slice(0, place) + character + token.slice(place + 1);
}
