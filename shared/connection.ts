import type { Checked, CheckedField } from '../api/checked';
import { checkRequestsPerMinute, checkVersion } from '../api/parameters';
import { parseUrl } from './url';

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

/** How to get unstuck with a field that {@link checkConnection} finds fault with. */
export const CORRECT_CREDENTIAL = 'Open the credential and correct the field.';

/** Checks the fields of a credential, without a request. A fault is a whole sentence that names the field. */
export function checkConnection(credential: Record<string, unknown>): Checked<Connection> {
	const baseUrl = checkBaseUrl(credential.baseUrl, credential.allowPlainHttp === true);
	if (baseUrl.fault !== undefined) return { fault: `The Base URL ${baseUrl.fault}` };

	const username = checkFilled(credential.username);
	if (username.fault !== undefined) return { fault: `The Username ${username.fault}` };

	const password = checkFilled(credential.password);
	if (password.fault !== undefined) return { fault: `The Password ${password.fault}` };

	const versionHeader = checkHeaderName(credential.versionHeader);
	if (versionHeader.fault !== undefined) {
		return { fault: `The Version Header Name ${versionHeader.fault}` };
	}

	const tokenVersion = checkVersion(credential.tokenVersion);
	if (tokenVersion.fault !== undefined) {
		return { fault: `The Token Request Version ${tokenVersion.fault}` };
	}

	const dataVersion = checkVersion(credential.dataVersion);
	if (dataVersion.fault !== undefined) {
		return { fault: `The Data Request Version ${dataVersion.fault}` };
	}

	const requestsPerMinute = checkRequestsPerMinute(credential.requestsPerMinute);
	if (requestsPerMinute.fault !== undefined) {
		return { fault: `The Requests per Minute ${requestsPerMinute.fault}` };
	}

	return {
		value: {
			...baseUrl.value,
			username: username.value,
			password: password.value,
			versionHeader: versionHeader.value,
			tokenVersion: tokenVersion.value,
			dataVersion: dataVersion.value,
			requestsPerMinute: requestsPerMinute.value,
			allowUnauthorizedCerts: credential.allowUnauthorizedCerts === true,
		},
	};
}

function checkFilled(typed: unknown): CheckedField<string> {
	return typeof typed === 'string' && typed !== '' ? { value: typed } : { fault: 'is empty' };
}

function checkBaseUrl(
	typed: unknown,
	allowPlainHttp: boolean,
): CheckedField<Pick<Connection, 'baseUrl' | 'origin'>> {
	const trimmed = typeof typed === 'string' ? typed.trim() : '';
	if (trimmed === '') return { fault: 'is empty' };
	if (!/^https?:\/\//i.test(trimmed)) return { fault: 'must begin with https://' };
	const url = parseUrl(trimmed);
	if (!url) return { fault: 'is not a web address' };
	if (url.username !== '' || url.password !== '') {
		return { fault: 'must not contain a user name or password; they have fields of their own' };
	}
	if (/[?#]/.test(trimmed)) return { fault: 'must end before the first ? or #' };
	if (url.protocol === 'http:' && !allowPlainHttp && !isLoopback(url.hostname)) {
		return {
			fault:
				'begins with http://, which would send the password unencrypted; use https:// or turn on Allow Plain HTTP',
		};
	}
	const { origin, pathname } = url;
	return { value: { baseUrl: origin + pathname.replace(/\/+$/, ''), origin } };
}

function isLoopback(hostname: string): boolean {
	const host = hostname.replace(/\.$/, '');
	return host === 'localhost' || /^127(\.\d+){3}$/.test(host) || host === '[::1]';
}

function checkHeaderName(typed: unknown): CheckedField<string> {
	const trimmed = typeof typed === 'string' ? typed.trim() : '';
	if (trimmed === '') return { fault: 'is empty' };
	if (!HEADER_NAME.test(trimmed))
		return { fault: 'holds a character that the name of a header cannot have' };
	if (HEADERS_IN_USE.includes(trimmed.toLowerCase())) {
		return { fault: `cannot be ${trimmed}, which a request needs for itself` };
	}
	return { value: trimmed };
}
