import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import {
	checkBoolean,
	checkCount,
	checkText,
	checkRawText,
	checkVersion,
	isBlank,
	parseUrl,
	stripInvisible,
} from './values';
import {
	INVALID_CREDENTIAL,
	INVALID_VALUE,
	CREDENTIAL_MESSAGES,
	type Invalid,
} from '../messages/invalid';
import {
	DEFAULT_REQUESTS_PER_MINUTE,
	MAX_REQUESTS_PER_MINUTE,
	TOKEN_PATH,
	SITES_PATH,
	isHeaderInUse,
} from '../service/constants';
import { type Failure, type Result } from '../messages/failure';

/** The settings of a credential, after {@link checkCredentialSettings}. */
export interface CredentialSettings {
	/** Without trailing slashes. */
	baseUrl: string;
	/** Scheme, host and port of the base URL. Tokens are sent nowhere else. */
	origin: string;
	username: string;
	password: string;
	versionHeader: string;
	/** The version that the login sends. */
	tokenVersion: string;
	/** The version that all other requests send unless they have their own. */
	dataVersion: string;
	requestsPerMinute: number;
	knownSites: string;
	allowUnauthorizedCerts: boolean;
}

/** What HTTP calls a token (RFC 9110, 5.6.2). */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Returns the settings of a credential, or the message about the first field that cannot be used. Sends nothing. */
export function checkCredentialSettings(
	credential: ICredentialDataDecryptedObject,
): Result<CredentialSettings, Failure> {
	let failure: Failure | undefined;
	const accept = <T>(label: string, checked: Result<T, Invalid>): T => {
		if (checked.failure) failure ??= CREDENTIAL_MESSAGES.field(label, checked.failure);
		// After a failure, the values are not returned.
		return checked.value as T;
	};
	const acceptText = <T>(
		label: string,
		input: unknown,
		check: (text: string) => Result<T, Invalid>,
	): T => {
		const text = filled(checkText(input));
		return accept(label, text.failure ? text : check(text.value));
	};
	const allowsPlainHttp = accept(
		'Allow Plain HTTP',
		checkBoolean(credential.allowPlainHttp ?? false),
	);
	const { baseUrl, origin } =
		acceptText('Base URL', credential.baseUrl, (text) => checkBaseUrl(text, allowsPlainHttp)) ?? {};
	const value: CredentialSettings = {
		baseUrl,
		origin,
		username: accept('Username', filled(checkText(credential.username))),
		password: accept('Password', filled(checkPassword(credential.password))),
		knownSites: accept('Known Sites', checkRawText(credential.knownSites)),
		versionHeader: acceptText('Version Header Name', credential.versionHeader, checkHeaderName),
		tokenVersion: accept('Token Request Version', checkVersion(credential.tokenVersion)),
		dataVersion: accept('Data Request Version', checkVersion(credential.dataVersion)),
		requestsPerMinute: accept(
			'Requests per Minute',
			checkRequestsPerMinute(credential.requestsPerMinute),
		),
		allowUnauthorizedCerts: accept(
			'Ignore SSL Issues (Insecure)',
			checkBoolean(credential.allowUnauthorizedCerts ?? false),
		),
	};
	if (!failure && !allowsDomain(credential, baseUrl)) failure = CREDENTIAL_MESSAGES.domains(origin);
	return failure ? { failure } : { value };
}

/** @param input undefined in a credential that n8n's API created without this field. */
function checkRequestsPerMinute(input: unknown): Result<number, Invalid> {
	if (input === undefined) return { value: DEFAULT_REQUESTS_PER_MINUTE };
	return isBlank(input)
		? { failure: INVALID_VALUE.empty() }
		: checkCount(input, 1, MAX_REQUESTS_PER_MINUTE);
}

/** Never quotes the input, which may be an object that contains the password. */
function checkPassword(input: unknown): Result<string, Invalid> {
	const { value } = checkRawText(input);
	return value === undefined ? { failure: INVALID_CREDENTIAL.notText() } : { value };
}

function filled(text: Result<string, Invalid>): Result<string, Invalid> {
	return text.value === '' ? { failure: INVALID_VALUE.empty() } : text;
}

/** Matches trailing slashes, and the path of a request: people enter its address instead of the base URL. */
const REQUEST_PATH = new RegExp(`/*(${TOKEN_PATH}|${SITES_PATH}(/-?\\d+)?)?/*$`, 'i');

/** Accepts the address of the service, also with what a browser or a request adds to it. */
function checkBaseUrl(
	text: string,
	allowsPlainHttp: boolean,
): Result<Pick<CredentialSettings, 'baseUrl' | 'origin'>, Invalid> {
	if (!/^https?:\/\//i.test(text)) return { failure: INVALID_CREDENTIAL.notHttps() };
	const url = parseUrl(text);
	if (!url) return { failure: INVALID_CREDENTIAL.notAddress() };
	if (url.protocol === 'http:' && !allowsPlainHttp && !isLoopback(url.hostname)) {
		return { failure: INVALID_CREDENTIAL.plainHttp() };
	}
	const { origin, pathname } = url;
	return { value: { baseUrl: origin + pathname.replace(REQUEST_PATH, ''), origin } };
}

function isLoopback(hostname: string): boolean {
	const host = hostname.replace(/\.$/, '');
	return host === 'localhost' || /^127(\.\d+){3}$/.test(host) || host === '[::1]';
}

function checkHeaderName(text: string): Result<string, Invalid> {
	if (!HEADER_NAME.test(text)) return { failure: INVALID_CREDENTIAL.notHeaderName() };
	return isHeaderInUse(text) ? { failure: INVALID_CREDENTIAL.headerInUse(text) } : { value: text };
}

/**
 * Returns whether n8n's 'Allowed HTTP Request Domains' include an address. They are separated by commas, and `*.` means any
 * subdomain. n8n's own function has other parameters in n8n 1 than in n8n 2.
 */
function allowsDomain(
	{ allowedHttpRequestDomains, allowedDomains }: ICredentialDataDecryptedObject,
	url: string,
): boolean {
	if (allowedHttpRequestDomains !== 'domains') return true;
	// A trailing dot in a host name makes no difference.
	const plain = (host: string) => host.trim().toLowerCase().replace(/\.$/, '');
	const host = plain(new URL(url).hostname);
	return stripInvisible(String(allowedDomains ?? ''))
		.split(',')
		.map(plain)
		.some((domain) => (domain.startsWith('*.') ? host.endsWith(domain.slice(1)) : host === domain));
}
