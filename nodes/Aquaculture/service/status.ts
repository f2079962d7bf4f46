import { MESSAGES, type FailureText } from '../messages/messages';
import { LOGIN, type Subject } from '../messages/subject';
import { isObject, type Body } from './body';
import { DEFAULT_VERSION_HEADER } from './constants';
import type { Failure, FailureKind } from './failures';
import { redactor, type Redact } from './redact';
import { retryAfterMs } from './retry';
import { readServiceMessage, type ServiceMessage } from './serviceMessage';

/** The account has exceeded its rate. It is not in {@link MEANINGS}: the request is sent again, in a later slot. */
export const TOO_MANY_REQUESTS = 429;

export function isSuccess(statusCode: number): boolean {
	return statusCode >= 200 && statusCode <= 299;
}

/**
 * Returns whether an answer shows that the service has accepted the token. Other statuses may come from a gateway or proxy that
 * never checked it.
 */
export function showsAcceptedToken(statusCode: number): boolean {
	return isSuccess(statusCode) || [400, 403, 404, 422].includes(statusCode);
}

/** What a login was sent with. */
interface LoginSettings {
	baseUrl: string;
	origin: string;
	password: string;
	versionHeader: string;
}

interface FailedLogin {
	statusCode: number;
	settings: LoginSettings;
}

interface FailedDocument {
	statusCode: number;
	subject: Subject;
	/** Where a redirect leads, without secrets. */
	location?: string;
}

type Explanation = [text: FailureText, kind?: FailureKind | undefined];

/** What a status means for a login, and for a document. */
interface Meaning {
	login(failed: FailedLogin): Explanation;
	document(failed: FailedDocument): Explanation;
}

const { answer, login, status } = MESSAGES;

const otherRefusal = ({ statusCode, settings }: FailedLogin): Explanation => [
	login.otherRefusal(statusCode, settings),
	'loginRefused',
];

const otherStatus: Meaning = {
	login: ({ statusCode }) => [status.other(LOGIN, statusCode)],
	document: ({ statusCode, subject }) => [status.other(subject, statusCode)],
};

const faultOfService = (kind?: FailureKind): Meaning => ({
	login: ({ statusCode }) => [status.serverError(LOGIN, statusCode), kind],
	document: ({ statusCode, subject }) => [status.serverError(subject, statusCode), kind],
});

/** What the service documents about a status is quoted. Others come from web servers and proxies, too. */
const MEANINGS: Record<string, Meaning> = {
	/** Not documented. The service has moved, or a login page stands before it. Nothing is sent there. */
	redirect: {
		login: () => [status.redirected(LOGIN)],
		document: ({ subject, location }) => [status.redirected(subject, location)],
	},
	/** "Unacceptable, often a missing parameter." Also for a version that is missing or no longer supported. */
	400: {
		login: otherRefusal,
		document: ({ subject }) => [status.badRequest(subject)],
	},
	/** "No valid authentication." A document may reject a good token: see `login/tokenSource.ts`. */
	401: {
		login: ({ settings }) => [login.refused(settings), 'loginRefused'],
		document: ({ subject }) => [status.unauthorized(subject)],
	},
	/** "The identity has no permission." */
	403: {
		login: ({ settings }) => [login.forbidden(settings), 'loginRefused'],
		document: ({ subject }) => [status.forbidden(subject), 'forbidden'],
	},
	/** "Does not exist." */
	404: {
		login: ({ settings }) => [login.notFound(settings.baseUrl, settings.origin)],
		document: ({ subject }) => [status.unknown(subject), 'notFound'],
	},
	/** Not documented. Only proxies send it (RFC 9110, 15.5.8). */
	407: {
		login: () => [status.proxyLogin(), 'stopsAll'],
		document: () => [status.proxyLogin(), 'stopsAll'],
	},
	/** Not documented. The request took too long to arrive (RFC 9110, 15.5.9). */
	408: faultOfService('transient'),
	/** "Valid parameters, but the request failed." */
	422: {
		login: otherRefusal,
		document: ({ subject }) => [status.unprocessable(subject)],
	},
	'4xx': {
		login: otherRefusal,
		document: otherStatus.document,
	},
	/** "A fault of the service (rare)." Gateways send the last three while the service restarts. */
	500: faultOfService('transient'),
	502: faultOfService('transient'),
	503: faultOfService('transient'),
	504: faultOfService('transient'),
	'5xx': faultOfService(),
};

function meaningOf(statusCode: number, location: unknown): Meaning {
	const isRedirect = statusCode < 400 && typeof location === 'string';
	const statusClass = isRedirect ? 'redirect' : `${Math.floor(statusCode / 100)}xx`;
	return MEANINGS[statusCode] ?? MEANINGS[statusClass] ?? otherStatus;
}

interface UnsuccessfulAnswer {
	statusCode: number;
	/** By lower-case name. */
	headers: Readonly<Record<string, unknown>>;
}

/** @param body absent if it could not be read: the status is still worth reporting. */
export function explainFailedLogin(
	{ statusCode, headers }: UnsuccessfulAnswer,
	body: Body | undefined,
	settings: LoginSettings,
): Failure {
	const said = readServiceMessage(body?.json, redactor([settings.password]));
	const [text, kind] = meaningOf(statusCode, headers.location).login({ statusCode, settings });
	const byBody =
		kind === 'loginRefused'
			? explainRefusalByBody({ statusCode, settings }, body, said)
			: undefined;
	return {
		...(byBody ?? text),
		...said,
		kind,
		// A failure with a status would be shown as one of the document.
		failureKey: String(statusCode),
		waitMs: retryAfterMs(headers),
	};
}

/** Explains a refusal whose body says more than its status; undefined for any other one. */
function explainRefusalByBody(
	{ statusCode, settings }: FailedLogin,
	body: Body | undefined,
	{ serviceMessage = '', traceId }: ServiceMessage,
): FailureText | undefined {
	const { baseUrl, versionHeader } = settings;
	const isEmpty = body === undefined || body.parseError === 'empty';
	const isForeign = [401, 403].includes(statusCode) && !isEmpty && !serviceMessage && !traceId;
	if (isForeign || body?.parseError === 'html') return login.notFromService(statusCode, baseUrl);
	const isPlaceholder = versionHeader.toLowerCase() === DEFAULT_VERSION_HEADER.toLowerCase();
	const isVersion = /\bversion/i.test(serviceMessage) || (statusCode === 400 && isPlaceholder);
	return isVersion ? login.versionRejected(statusCode, settings, isPlaceholder) : undefined;
}

/** @param body absent if it could not be read: the status is still worth reporting. */
export function explainFailedDocument(
	{ statusCode, headers }: UnsuccessfulAnswer,
	body: Body | undefined,
	subject: Subject,
	redact: Redact,
): Failure {
	const location = redact(String(headers.location));
	const meaning = meaningOf(statusCode, headers.location);
	const foreign = explainForeignAnswer(statusCode, body, subject);
	const [text, kind] = foreign ? [foreign] : meaning.document({ statusCode, subject, location });
	return {
		...text,
		...readServiceMessage(body?.json, redact),
		kind,
		statusCode,
		waitMs: retryAfterMs(headers),
	};
}

/** Explains an answer that is not the service's, but that of a web server or a proxy: a missing page is no missing site. */
function explainForeignAnswer(
	statusCode: number,
	body: Body | undefined,
	subject: Subject,
): FailureText | undefined {
	if (!body || body.parseError === 'empty') return undefined;
	const isPage = [401, 403, 404].includes(statusCode) && body.parseError === 'html';
	if (isPage) return answer.html(subject);
	if (statusCode !== 404 || isObject(body.json)) return undefined;
	return { ...status.other(subject, statusCode), failureKey: 'elsewhere' };
}
