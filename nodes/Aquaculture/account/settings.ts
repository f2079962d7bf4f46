import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import type { Checked } from '../messages/checked';
import {
	TOKEN_PATH,
	checkRequestsPerMinute,
	checkSwitch,
	checkText,
	checkVersion,
	trimmed,
	visible,
} from '../input/values';
import { CREDENTIAL_FAULTS, VALUE_FAULTS, type Fault } from '../messages/faults';
import { MESSAGES, type FailureText } from '../messages/messages';

/** The settings of a credential in the form in which requests use them. */
export interface Settings {
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
	siteListPath: string | undefined;
	/** The text of 'Known Sites'. */
	knownSites: string;
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

/** The settings of a credential, or the message about the first field that cannot be used; sends nothing. */
export function checkSettings(
	credential: ICredentialDataDecryptedObject,
): { value: Settings; failure?: never } | { value?: never; failure: FailureText } {
	let failure: FailureText | undefined;
	const read = <T>(label: string, checked: Checked<T>): T => {
		if (checked.fault !== undefined) failure ??= MESSAGES.credential.field(label, checked);
		// If there is a failure, no value is returned.
		return checked.value as T;
	};
	/** @param check of the text, without what nobody sees. */
	const readText = <T>(label: string, typed: unknown, check: (text: string) => Checked<T>): T => {
		const { value: text, ...fault } = checkText(trimmed(typed));
		return read(label, text === undefined ? (fault as Fault) : check(text));
	};
	const allowsPlainHttp = read('Allow Plain HTTP', checkSwitch(credential.allowPlainHttp ?? false));
	const { baseUrl, origin } =
		readText('Base URL', credential.baseUrl, (text) => checkBaseUrl(text, allowsPlainHttp)) ?? {};
	const value: Settings = {
		baseUrl,
		origin,
		username: visible(read('Username', checkFilled(credential.username)) ?? ''),
		password: read('Password', checkFilled(credential.password)),
		knownSites: read('Known Sites', checkText(credential.knownSites)),
		versionHeader: readText('Version Header Name', credential.versionHeader, checkHeaderName),
		tokenVersion: readText('Token Request Version', credential.tokenVersion, checkVersion),
		dataVersion: readText('Data Request Version', credential.dataVersion, checkVersion),
		requestsPerMinute: read(
			'Requests per Minute',
			checkRequestsPerMinute(credential.requestsPerMinute),
		),
		siteListPath: readText('Site List Address', credential.siteListAddress, (text) =>
			checkSiteListAddress(text, baseUrl),
		),
		allowUnauthorizedCerts: read(
			'Ignore SSL Issues (Insecure)',
			checkSwitch(credential.allowUnauthorizedCerts ?? false),
		),
	};
	if (!failure && !allowsDomain(credential, baseUrl)) failure = MESSAGES.credential.domains(origin);
	return failure ? { failure } : { value };
}

/** A text as it is, since blanks and invisible characters may be meant. */
function checkFilled(typed: unknown): Checked<string> {
	const checked = checkText(typed);
	return checked.value === '' ? VALUE_FAULTS.empty() : checked;
}

/** The end of an address that is not the base URL, but that of a request. */
const OF_REQUEST = new RegExp(`(${TOKEN_PATH}|/meta/sites(/-?\\d+)?)/*$`, 'i');

function checkBaseUrl(
	text: string,
	allowsPlainHttp: boolean,
): Checked<Pick<Settings, 'baseUrl' | 'origin'>> {
	if (text === '') return VALUE_FAULTS.empty();
	if (!/^https?:\/\//i.test(text)) return CREDENTIAL_FAULTS.notHttps();
	const url = parseUrl(text);
	if (!url) return CREDENTIAL_FAULTS.notAddress();
	if (url.username !== '' || url.password !== '') return CREDENTIAL_FAULTS.userInAddress();
	if (/[?#]/.test(text)) return CREDENTIAL_FAULTS.queryInAddress();
	const [ofRequest] = OF_REQUEST.exec(url.pathname) ?? [];
	if (ofRequest !== undefined) return CREDENTIAL_FAULTS.requestInAddress(ofRequest);
	if (url.protocol === 'http:' && !allowsPlainHttp && !isLoopback(url.hostname)) {
		return CREDENTIAL_FAULTS.plainHttp();
	}
	const { origin, pathname } = url;
	return { value: { baseUrl: origin + pathname.replace(/\/+$/, ''), origin } };
}

function isLoopback(hostname: string): boolean {
	const host = hostname.replace(/\.$/, '');
	return host === 'localhost' || /^127(\.\d+){3}$/.test(host) || host === '[::1]';
}

function checkHeaderName(text: string): Checked<string> {
	if (text === '') return VALUE_FAULTS.empty();
	if (!HEADER_NAME.test(text)) return CREDENTIAL_FAULTS.notHeaderName();
	return HEADERS_IN_USE.includes(text.toLowerCase())
		? CREDENTIAL_FAULTS.headerInUse(text)
		: { value: text };
}

/** A path with `.` or `..` in it, also percent-encoded. */
const LEAVES_FOLDER = /(^|\/|%2f|%5c)(\.|%2e){1,2}($|\/|%2f|%5c)/i;

/** The part after the base URL, or a whole address below it. */
function checkSiteListAddress(text: string, baseUrl: string): Checked<string | undefined> {
	if (text === '') return { value: undefined };
	const isWhole = /^([a-z][a-z\d+.-]*:|\/\/)/i.test(text);
	const url = parseUrl(isWhole ? text : `${baseUrl}/${text.replace(/^\//, '')}`);
	const [path = ''] = text.split('?');
	const isBelow = url?.href.startsWith(`${baseUrl}/`) === true && !LEAVES_FOLDER.test(path);
	const isClean = !/[\\#\s\p{Cc}]/u.test(text);
	return isBelow && isClean
		? { value: url.href.slice(baseUrl.length) }
		: CREDENTIAL_FAULTS.notBelowBaseUrl();
}

/**
 * Whether n8n's "Allowed HTTP Request Domains" allow an address: a list separated by commas, in which `*.` stands for any
 * subdomain. n8n has a function for it, whose parameters differ between 1.x and 2.x.
 */
function allowsDomain(
	{ allowedHttpRequestDomains, allowedDomains }: ICredentialDataDecryptedObject,
	url: string,
): boolean {
	if (allowedHttpRequestDomains !== 'domains') return true;
	// A dot at the end of a host name only says that it is whole.
	const plain = (host: string) => host.trim().toLowerCase().replace(/\.$/, '');
	const host = plain(new URL(url).hostname);
	return visible(String(allowedDomains ?? ''))
		.split(',')
		.map(plain)
		.some((domain) => (domain.startsWith('*.') ? host.endsWith(domain.slice(1)) : host === domain));
}

/**
 * The parsed address; undefined if the text is not an address. `URL.canParse` cannot be used: after many calls, it
 * rejects host names with a letter such as å (Node.js 20.20 and 22.23).
 */
export function parseUrl(address: string, base?: string): URL | undefined {
	try {
		return new URL(address, base);
	} catch {
		return undefined;
	}
}
