import { LOGIN, type Failure, type Subject } from '../messages/failure';
import {
	ASK_ADMINISTRATOR,
	CHECK_BASE_URL,
	SENTENCES,
	truncate,
	TRY_LATER,
} from '../messages/phrases';
import { isObject, readServiceMessage, type Body, type ServiceMessage } from './body';
import { BODY_FAILURES } from './requestFailures';
import { DEFAULT_VERSION_HEADER } from './constants';
import { redactor, type Redact } from './redact';
import { isRetried, retryAfterMs } from './retry';

/*
 * What the status of an unsuccessful answer means, for a login and for a document. A 429 is missing: it is sent again.
 * `retry.ts` says which others are.
 */

interface UnsuccessfulAnswer {
	statusCode: number;
	/** By lower-case name. */
	headers: Readonly<Record<string, unknown>>;
}

/** What a login was sent with. */
interface LoginSettings {
	baseUrl: string;
	origin: string;
	password: string;
	versionHeader: string;
}

/** @param body absent if it could not be read: the status is still worth reporting. */
export function explainFailedLogin(
	answer: UnsuccessfulAnswer,
	body: Body | undefined,
	settings: LoginSettings,
): Failure {
	const { statusCode } = answer;
	const said = readServiceMessage(body?.json, redactor([settings.password]));
	let failure = findMeaning(answer).login({ subject: LOGIN, statusCode, settings });
	if (failure.kind === 'loginRefused') {
		if (isForeign(statusCode, body, said)) failure = refusedElsewhere(statusCode, settings);
		else if (isAboutVersion(statusCode, said, settings)) {
			failure = versionRejected(statusCode, settings);
		}
	}
	// A wrong password is nothing that the operator of the service has to look up.
	const traceId = statusCode === 401 ? undefined : said.traceId;
	// Without the status: n8n would show it as that of a document.
	return { ...failure, ...said, traceId, ...retryOf(answer) };
}

/** Returns whether a refusal looks as if a web server or a proxy had sent it. The service says something, or nothing at all. */
function isForeign(
	statusCode: number,
	body: Body | undefined,
	{ serviceMessage, traceId }: ServiceMessage,
): boolean {
	if (body === undefined || body.parseError === 'empty') return false;
	const saysNothing = serviceMessage === undefined && traceId === undefined;
	return body.parseError === 'html' || ([401, 403].includes(statusCode) && saysNothing);
}

/** Returns whether a refusal is probably about the version: the service says so, or the header still has its default name. */
function isAboutVersion(
	statusCode: number,
	{ serviceMessage = '' }: ServiceMessage,
	settings: LoginSettings,
): boolean {
	return /\bversion/i.test(serviceMessage) || (statusCode === 400 && isPlaceholder(settings));
}

/** @param body absent if it could not be read: the status is still worth reporting. */
export function explainFailedDocument(
	answer: UnsuccessfulAnswer,
	body: Body | undefined,
	subject: Subject,
	redact: Redact,
): Failure {
	const { statusCode, headers } = answer;
	const location = redact(String(headers.location));
	let failure = findMeaning(answer).document({ subject, statusCode, location });
	// A web server or a proxy may have answered instead of the service: a missing page is no missing site.
	const isPage = body?.parseError === 'html';
	if (isPage && [401, 403, 404].includes(statusCode)) failure = BODY_FAILURES.html(subject);
	else if (statusCode === 404 && body && body.parseError !== 'empty' && !isObject(body.json)) {
		failure = otherStatus({ subject, statusCode });
	}
	const said = readServiceMessage(body?.json, redact);
	return { ...failure, ...said, statusCode, ...retryOf(answer) };
}

/** Returns whether the request is sent again, and how long the service asks to wait. */
function retryOf({ statusCode, headers }: UnsuccessfulAnswer) {
	return { ...(isRetried(statusCode) && { isTransient: true }), waitMs: retryAfterMs(headers) };
}

function findMeaning({ statusCode, headers }: UnsuccessfulAnswer): Meaning {
	const isRedirect = statusCode < 400 && typeof headers.location === 'string';
	const statusClass = isRedirect ? 'redirect' : `${Math.floor(statusCode / 100)}xx`;
	return STATUSES[statusCode] ?? STATUSES[statusClass] ?? both(otherStatus);
}

interface FailedRequest {
	subject: Subject;
	statusCode: number;
	/** Where a redirect leads, without secrets; absent for a login: it may contain the password in an unknown form. */
	location?: string;
}

interface FailedLogin extends FailedRequest {
	settings: LoginSettings;
}

interface Meaning {
	login(failed: FailedLogin): Failure;
	document(failed: FailedRequest): Failure;
}

/** What people do about it is the same for a login and a document. */
function both(explain: (failed: FailedRequest) => Failure): Meaning {
	return { login: explain, document: explain };
}

const otherStatus = ({ subject, statusCode }: FailedRequest): Failure => ({
	message: `The service answered ${subject.request} with status ${statusCode}`,
	description:
		"Check 'Base URL' in the credential, or ask the operator of the service what this status means.",
});

const serverError = ({ subject, statusCode }: FailedRequest): Failure => ({
	message: `The service could not answer ${subject.request} (status ${statusCode})`,
	...TRY_LATER,
});

/** The service does not document which status means a wrong password or a locked account. */
const otherRefusal = ({ statusCode, settings }: FailedLogin) =>
	refused(
		`The service refused the login (status ${statusCode})`,
		`Check 'Base URL', 'Version Header Name', 'Token Request Version', 'Username' and 'Password' in the credential${describeHiddenCharacters(settings)}.`,
	);

/** What the service documents about a status is quoted. Others come from web servers and proxies, too. */
const STATUSES: Record<string, Meaning> = {
	/** Not documented. The service has moved, or a login page stands before it. Nothing is sent there. */
	redirect: both(({ subject, location }) => ({
		message: `The service pointed to another address for ${subject.name}${location === undefined ? '' : `: ${location}`}`,
		description: "If the service has moved, enter its new address as 'Base URL' in the credential.",
		note: 'Nothing was sent there, because it may not belong to the service.',
	})),
	/** "Unacceptable, often a missing parameter." Also for a version that is missing or no longer supported. */
	400: {
		login: otherRefusal,
		document: ({ subject }) => ({
			message: `The service did not accept ${subject.request}`,
			description:
				"Check 'Data Request Version' in the credential: the service may no longer support this version.",
			note: 'If the node asks for further parts of the site, check these next.',
		}),
	},
	/** "No valid authentication." For a document perhaps in spite of a good token: see `login/tokenSource.ts`. */
	401: {
		login: ({ settings }) =>
			refused(
				'The service refused the username and password',
				`Correct 'Username' and 'Password' in the credential${describeHiddenCharacters(settings)}.`,
			),
		document: ({ subject }) => ({
			message: `The service rejected ${subject.request} (status 401)`,
			description: 'Ask the operator of the service whether this account may read it.',
			// See `recordRejected` in `login/tokenSource.ts`.
			note: 'A new login did not help, now or within the last five minutes.',
		}),
	},
	/** "The identity has no permission." */
	403: {
		login: ({ settings }) =>
			refused(
				'The service does not let this account log in',
				`Ask the operator of the service whether the account may use this interface, and check 'Username' and 'Password' in the credential${describeHiddenCharacters(settings)}.`,
			),
		document: ({ subject }) => ({
			message: `This account may not read ${subject.name}`,
			description:
				'Ask the operator of the service for the right to read it, or use another account.',
			kind: 'forbidden',
		}),
	},
	/** "Does not exist." */
	404: {
		login: ({ settings: { baseUrl, origin } }) => ({
			message: 'The service has no login at this address',
			description:
				baseUrl === origin
					? CHECK_BASE_URL.description
					: `Shorten 'Base URL' in the credential to ${origin}, unless the operator of the service gave you a longer address.`,
			note: `It is ${truncate(baseUrl, 100)}. ${CHECK_BASE_URL.note}`,
		}),
		document: ({ subject }) => ({
			message: `The service does not know ${subject.name}`,
			description: 'Check the site ID.',
			note: `If it comes from 'Known Sites', correct it in the credential. ${SENTENCES.ignoreMissingAdvice()} If no site is found, check 'Base URL' in the credential.`,
			kind: 'notFound',
		}),
	},
	/** Not documented. Only proxies send it (RFC 9110, 15.5.8). */
	407: both(() => ({
		message: 'A proxy between n8n and the service requires a login',
		description: `${ASK_ADMINISTRATOR} to set HTTPS_PROXY with the username and password of the proxy.`,
		stopsAll: true,
	})),
	/** Not documented. The request took too long to arrive (RFC 9110, 15.5.9). */
	408: both(serverError),
	/** "Valid parameters, but the request failed." */
	422: {
		login: otherRefusal,
		document: serverError,
	},
	'4xx': { login: otherRefusal, document: otherStatus },
	/** "A fault of the service (rare)." */
	'5xx': both(serverError),
};

/** A request of an HTTP Request node, which n8n must not send twice, was answered with 401. */
export function unauthorizedRequest(): Failure {
	return {
		message: 'The service rejected the request (status 401)',
		description: 'Run the node again: n8n logs in first.',
		note: "If the request only reads, turn on 'Retry On Fail' in the settings of the node.",
	};
}

function refused(message: string, description: string): Failure {
	return {
		message,
		description,
		note: 'Until a login succeeds, n8n waits longer between logins, up to an hour, to avoid locking the account.',
		kind: 'loginRefused',
		stopsAll: true,
	};
}

/** The answer is a web page, or has another form than the service's. */
function refusedElsewhere(statusCode: number, { baseUrl }: LoginSettings): Failure {
	return refused(
		`The login was refused (status ${statusCode}), but perhaps not by the service`,
		`Check 'Base URL' in the credential, then 'Username' and 'Password': the answer from ${truncate(baseUrl)} does not look like one of the service.`,
	);
}

function versionRejected(statusCode: number, settings: LoginSettings): Failure {
	const thenCheck = `, then check 'Base URL', 'Username' and 'Password'${describeHiddenCharacters(settings)}.`;
	return refused(
		`The service refused the login (status ${statusCode})`,
		isPlaceholder(settings)
			? `'Version Header Name' is still the placeholder ${settings.versionHeader}. Enter the header name that the operator gave you${thenCheck}`
			: `Check 'Version Header Name' and 'Token Request Version' in the credential${thenCheck}`,
	);
}

function isPlaceholder({ versionHeader }: LoginSettings): boolean {
	return versionHeader.toLowerCase() === DEFAULT_VERSION_HEADER.toLowerCase();
}

/** Says whether a password has outer spaces or invisible characters, which people paste unnoticed and which are kept. */
function describeHiddenCharacters({ password }: LoginSettings): string {
	const ends = [
		...(/^\s/.test(password) ? ['begins'] : []),
		...(/\s$/.test(password) ? ['ends'] : []),
	];
	const seen = [
		...(ends.length > 0 ? [`${ends.join(' and ')} with a space`] : []),
		...(/\p{Cf}/u.test(password) ? ['contains an invisible character'] : []),
	];
	return seen.length > 0 ? `: the password ${seen.join(' and ')}` : '';
}
