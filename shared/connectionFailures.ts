/** What the user reads about a failure: the message says what happened, the description how to get unstuck. */
export interface FailureText {
	message: string;
	description: string;
	/**
	 * What a failure that goes on is recognised by, where a status does not tell: the same each time, unlike the message,
	 * which may hold times and counts.
	 */
	cause?: string;
}

/** Why no answer arrived. */
export interface ConnectionFailure extends FailureText {
	/** Whether the same request may succeed a little later. */
	passing: boolean;
}

/** How to get unstuck where what answers may not be the service. */
export const CHECK_BASE_URL =
	'Check the Base URL in the credential. If it is right, tell the operator of the service.';

/** How to get unstuck where a web page has come instead of what was asked for. */
export const CHECK_FOR_WEBSITE = `The Base URL may lead to a website, a login page or a proxy. ${CHECK_BASE_URL}`;

/** How to get unstuck where a text cannot be decoded. */
export const USE_UTF8 = 'Tell the operator of the service that its answers must be in UTF-8.';

const TRY_LATER = 'Try again in a few minutes.';

/** How to get unstuck where the service is at fault. */
export const TRY_LATER_OR_TELL = `${TRY_LATER} If it goes on, tell the operator of the service.`;

const CHECK_ADDRESS =
	'Check the Base URL in the credential, and that the machine n8n runs on can reach it.';

const refused: ConnectionFailure = {
	passing: true,
	message: 'The service refused the connection',
	description: `Nothing answers at this address. ${CHECK_ADDRESS}`,
};
const unknownHost: ConnectionFailure = {
	passing: false,
	message: 'The host name of the service was not found',
	description: `Look for a typing mistake in the Base URL. ${CHECK_ADDRESS}`,
};
const unreachable: ConnectionFailure = {
	passing: true,
	message: 'The service could not be reached',
	description: CHECK_ADDRESS,
};
const broken: ConnectionFailure = {
	passing: true,
	message: 'The connection to the service broke off',
	description: `${TRY_LATER} If it keeps breaking off, ask the operator of the service or of your network.`,
};
const timedOut: ConnectionFailure = {
	passing: true,
	message: 'The service did not answer in time',
	description: TRY_LATER,
};
const untrusted: ConnectionFailure = {
	passing: false,
	message: 'The certificate of the service is not trusted',
	description:
		'Ask the operator of the service about its certificate. Turn on Ignore SSL Issues in the credential only if you know why the certificate is not trusted.',
};
const notHttps: ConnectionFailure = {
	passing: false,
	message: 'A secure connection to the service could not be set up',
	description:
		'Check the beginning (https:// or http://) and the port of the Base URL in the credential.',
};
const notHttp: ConnectionFailure = {
	passing: false,
	message: 'What answered at this address is not a web service',
	description:
		'Check the beginning (https:// or http://) and the port of the Base URL in the credential.',
};

/** By the `code` that Node.js, OpenSSL or axios puts on a failed request. */
const BY_CODE: Record<string, ConnectionFailure> = {
	ECONNREFUSED: refused,
	ENOTFOUND: unknownHost,
	EAI_AGAIN: {
		passing: true,
		message: 'The host name of the service could not be looked up',
		description: `The name server did not answer. ${TRY_LATER}`,
	},
	EHOSTUNREACH: unreachable,
	ENETUNREACH: unreachable,
	EADDRNOTAVAIL: unreachable,
	ECONNRESET: broken,
	EPIPE: broken,
	ERR_STREAM_PREMATURE_CLOSE: broken,
	ERR_BAD_RESPONSE: broken,
	ETIMEDOUT: timedOut,
	ECONNABORTED: timedOut,
	CERT_HAS_EXPIRED: {
		...untrusted,
		message: 'The certificate of the service has expired',
	},
	ERR_TLS_CERT_ALTNAME_INVALID: {
		...untrusted,
		message: 'The certificate of the service is made out to another name',
	},
	CERT_NOT_YET_VALID: untrusted,
	DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
	SELF_SIGNED_CERT_IN_CHAIN: untrusted,
	UNABLE_TO_GET_ISSUER_CERT: untrusted,
	UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
	UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
	EPROTO: notHttps,
};

/**
 * The sentences for a request that got no answer.
 *
 * @param code of the failure, where it has one.
 */
export function describeConnectionFailure(code: unknown): ConnectionFailure {
	if (typeof code !== 'string') return unreachable;
	if (Object.hasOwn(BY_CODE, code)) return BY_CODE[code] ?? unreachable;
	if (code.startsWith('ERR_SSL_')) return notHttps;
	if (code.startsWith('HPE_')) return notHttp;
	return unreachable;
}
