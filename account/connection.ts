import type { Checked } from '../texts/checked';
import { VALUE_FAULTS } from '../texts/faults';
import { FIELD_FAULTS } from '../texts/fieldFaults';
import { checkRequestsPerMinute, checkVersion } from '../service/requestValues';
import { MESSAGES, type FailureText } from '../texts/messages';
import { parseUrl } from '../service/url';

/** The settings of a credential in the form in which requests use them. */
export interface Connection {
	/** Without trailing slashes. */
	baseUrl: string;
	/** Scheme, host and port of the base URL: the only place a token may go to. */
	origin: string;
	username: string;
	password: string;
	/** Name of the version header. */
	versionHeader: string;
	/** Version sent with the token request. */
	tokenVersion: string;
	/** Version sent with every other request. */
	dataVersion: string;
	/** How many requests of the account may be sent in a minute; Infinity for no limit. */
	requestsPerMinute: number;
	/** Path and query of the service's list of sites, below the base URL; undefined if none was entered. */
	siteListPath?: string | undefined;
	allowUnauthorizedCerts: boolean;
}

/** HTTP's `token` (RFC 9110, 5.6.2), the form of a header's name. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Headers that a request carries for other purposes, so the version cannot travel in them. */
const HEADERS_IN_USE = [
	'accept',
	'authorization',
	'connection',
	'content-length',
	'content-type',
	'host',
	'transfer-encoding',
];

/** The settings of a credential, or the message about the first field that cannot be used. */
export type CheckedConnection =
	| { value: Connection; failure?: never }
	| { value?: never; failure: FailureText };

/** Checks the fields of a credential, without a request. */
export function checkConnection(credential: Record<string, unknown>): CheckedConnection {
	let failure: FailureText | undefined;
	const valueOf = <T>(label: string, checked: Checked<T>): T => {
		if (checked.fault !== undefined) failure ??= MESSAGES.credential.field(label, checked);
		// If there is a failure, no value is returned.
		return checked.value as T;
	};
	const { baseUrl, origin } =
		valueOf('Base URL', checkBaseUrl(credential.baseUrl, credential.allowPlainHttp === true)) ?? {};
	const value: Connection = {
		baseUrl,
		origin,
		username: valueOf('Username', checkFilled(credential.username)),
		password: valueOf('Password', checkFilled(credential.password)),
		versionHeader: valueOf('Version Header Name', checkHeaderName(credential.versionHeader)),
		tokenVersion: valueOf('Token Request Version', checkVersion(credential.tokenVersion)),
		dataVersion: valueOf('Data Request Version', checkVersion(credential.dataVersion)),
		requestsPerMinute: valueOf(
			'Requests per Minute',
			checkRequestsPerMinute(credential.requestsPerMinute),
		),
		siteListPath: valueOf(
			'Site List Address',
			checkSiteListAddress(credential.siteListAddress, baseUrl),
		),
		allowUnauthorizedCerts: credential.allowUnauthorizedCerts === true,
	};
	return failure ? { failure } : { value };
}

function checkFilled(typed: unknown): Checked<string> {
	return typeof typed === 'string' && typed !== '' ? { value: typed } : VALUE_FAULTS.empty();
}

function checkBaseUrl(
	typed: unknown,
	allowPlainHttp: boolean,
): Checked<Pick<Connection, 'baseUrl' | 'origin'>> {
	const trimmed = typeof typed === 'string' ? typed.trim() : '';
	if (trimmed === '') return VALUE_FAULTS.empty();
	if (!/^https?:\/\//i.test(trimmed)) return FIELD_FAULTS.notHttps();
	const url = parseUrl(trimmed);
	if (!url) return FIELD_FAULTS.notAddress();
	if (url.username !== '' || url.password !== '') {
		return FIELD_FAULTS.userInAddress();
	}
	if (/[?#]/.test(trimmed)) return FIELD_FAULTS.queryInAddress();
	if (url.protocol === 'http:' && !allowPlainHttp && !isLoopback(url.hostname)) {
		return FIELD_FAULTS.plainHttp();
	}
	const { origin, pathname } = url;
	return { value: { baseUrl: origin + pathname.replace(/\/+$/, ''), origin } };
}

/** A path with `.` or `..` in it, also percent-encoded. */
const LEAVES_FOLDER = /(^|\/|%2f|%5c)(\.|%2e){1,2}($|\/|%2f|%5c)/i;

/** The part after the base URL, or a whole address below it. */
function checkSiteListAddress(typed: unknown, baseUrl: string): Checked<string | undefined> {
	const trimmed = typeof typed === 'string' ? typed.trim() : '';
	if (trimmed === '') return { value: undefined };
	const isWhole = /^([a-z][a-z\d+.-]*:|\/\/)/i.test(trimmed);
	const url = parseUrl(isWhole ? trimmed : `${baseUrl}/${trimmed.replace(/^\//, '')}`);
	const [path = ''] = trimmed.split('?');
	const isBelow = url?.href.startsWith(`${baseUrl}/`) === true && !LEAVES_FOLDER.test(path);
	const isClean = !/[\\#\s\p{Cc}]/u.test(trimmed);
	return isBelow && isClean
		? { value: url.href.slice(baseUrl.length) }
		: FIELD_FAULTS.notBelowBaseUrl();
}

function isLoopback(hostname: string): boolean {
	const host = hostname.replace(/\.$/, '');
	return host === 'localhost' || /^127(\.\d+){3}$/.test(host) || host === '[::1]';
}

function checkHeaderName(typed: unknown): Checked<string> {
	const trimmed = typeof typed === 'string' ? typed.trim() : '';
	if (trimmed === '') return VALUE_FAULTS.empty();
	if (!HEADER_NAME.test(trimmed)) return FIELD_FAULTS.notHeaderName();
	if (HEADERS_IN_USE.includes(trimmed.toLowerCase())) return FIELD_FAULTS.headerInUse(trimmed);
	return { value: trimmed };
}
