import { MAX_LEVELS, type Body, type BodyFault } from '../../../shared/body';
import {
	CHECK_BASE_URL,
	CHECK_FOR_WEBSITE,
	TRY_LATER_OR_TELL,
	USE_UTF8,
	describeConnectionFailure,
	type FailureText,
} from '../../../shared/connectionFailures';
import type { Budget } from '../../../shared/budget/budget';
import { describeLimit, spellWait } from '../../../shared/budget/closed';
import type { Lane } from '../../../shared/budget/lane';
import { spellDuration, spellRate } from '../../../shared/duration';
import { redactJson, type Redact } from '../../../shared/redact';
import { causeOfTokenFailure } from '../../../shared/tokenFailureCode';

/** Why a site could not be read, in the words that the user sees. */
export interface Failure extends FailureText {
	/** Status of the service's answer, where there was one. */
	statusCode?: number;
	/** Body of the service's answer, JSON where it is JSON, without secrets. */
	body?: unknown;
	/** Whether the time for the request was over. */
	timedOut?: boolean;
	/** Whether the request was ended from here, so that nothing is known of the site. */
	cancelled?: boolean;
	/** Whether it was not asked for, because its account's budget had no place for it in time. */
	hadNoTurn?: boolean;
	/** Whether every other site will fail for the same cause, so that asking for them is useless. */
	accountWide?: boolean;
	/** Whether the same request may succeed a little later. */
	passing?: boolean;
	/** How long the service asks to wait, in milliseconds, where it does. */
	waitMs?: number | undefined;
}

/** The cause of a failure, the same in each poll as long as it goes on. */
export function causeOf({ cause, statusCode }: Failure): string {
	return cause ?? String(statusCode ?? '');
}

/** Whether the service does not know what it was asked for. */
export function isUnknownSite({ statusCode }: Failure): boolean {
	return statusCode === 404;
}

/** What is looked at of the error that n8n's helper throws where there was no answer. */
export interface HelperError {
	message: string;
	description?: string | null;
	/** The code of what failed. */
	httpCode?: string | null;
}

/** n8n tells a canceled execution from a failed one by the word "canceled" (n8n 2.40). */
export const CANCELLED: Failure = {
	message: 'The execution was canceled before the service had answered',
	description: 'Run the workflow again.',
	cancelled: true,
	accountWide: true,
};

const STATUS_TEXTS: Record<number, (site: string) => FailureText> = {
	400: (site) => ({
		message: `The service did not accept the request for ${site}`,
		description:
			"Check 'Data Request Version', in the credential and under Options: the service may no longer support this version. Then check the parts of the site that are asked for.",
	}),
	401: (site) => ({
		message: `The service does not let this account read ${site}`,
		description:
			'The login itself works. Ask the operator of the service which sites this account may read.',
	}),
	403: (site) => ({
		message: `This account may not read ${site}`,
		description:
			'Ask the operator of the service for the right to read it, or use another account.',
	}),
	404: (site) => ({
		message: `The service does not know ${site}`,
		description:
			'Check the Site ID. If no site is found at all, check the Base URL in the credential.',
	}),
	408: (site) => ({
		message: `The service waited too long for the request for ${site}`,
		description: 'Run the workflow again. If it happens often, ask who runs your network.',
	}),
	422: (site) => ({
		message: `The service could not carry out the request for ${site}`,
		description:
			'It understood the request. Run the workflow again, and if that does not help, tell the operator of the service.',
	}),
};

/** The failure that an answer with an unsuccessful status stands for. */
export function describeSiteStatus(
	statusCode: number,
	headers: Record<string, unknown>,
	site: string,
	redact: Redact,
): FailureText {
	const known = STATUS_TEXTS[statusCode];
	if (known) return known(site);
	if (statusCode < 400 && typeof headers.location === 'string') {
		return {
			message: `The service pointed to another address for ${site}: ${redact(headers.location)}`,
			description:
				'Redirects are not followed, so that the token stays with the service. If the service has moved, enter its new address as Base URL in the credential.',
		};
	}
	if (statusCode >= 500) {
		return {
			message: `The service could not answer for ${site} because of a fault on its side (status ${statusCode})`,
			description: TRY_LATER_OR_TELL,
		};
	}
	return {
		message: `The service answered the request for ${site} with status ${statusCode}`,
		description: 'Ask the operator of the service what this status means.',
	};
}

const BODY_TEXTS: Record<BodyFault, (site: string) => FailureText> = {
	empty: (site) => ({
		message: `The service sent an empty answer for ${site}`,
		description: CHECK_BASE_URL,
	}),
	html: (site) => ({
		message: `The service sent a web page instead of the data of ${site}`,
		description: CHECK_FOR_WEBSITE,
	}),
	malformed: (site) => ({
		message: `The service sent an answer for ${site} that is not complete`,
		description: `It may have been cut off: run the workflow again. ${CHECK_BASE_URL}`,
	}),
	nested: (site) => ({
		message: `The service sent data for ${site} that is nested more than ${MAX_LEVELS} levels deep`,
		description: CHECK_BASE_URL,
	}),
	notUtf8: (site) => ({
		message: `The service sent text for ${site} that is not UTF-8`,
		description: USE_UTF8,
	}),
	charset: (site) => ({
		message: `The service sent text for ${site} in an unknown charset`,
		description: USE_UTF8,
	}),
};

/** The failure that a successful status with a body other than JSON stands for. */
export function describeBodyFault(fault: BodyFault, site: string): FailureText {
	return { ...BODY_TEXTS[fault](site), cause: fault };
}

/** The failure of a JSON body that is not the site that was asked for. */
export function describeBreach(fault: string, site: string): FailureText {
	return {
		message: `The service did not send the data of ${site}: ${fault}`,
		description:
			'The service or its interface may have changed. Check the Data Request Version, and tell the operator of the service.',
		cause: 'breach',
	};
}

/** The failure of a document on which this package fails. */
export function describeUnprocessed(site: string, cause: string): FailureText {
	return {
		message: `The answer for ${site} could not be processed`,
		description: `Tell the maintainers of this node: ${cause}.`,
	};
}

export function describeTimeout(site: string, timeoutMs: number): FailureText {
	return {
		message: `The service did not send the whole answer for ${site} within ${timeoutMs / 1000} seconds`,
		description: 'Run the workflow again, or raise Timeout under Options.',
		cause: 'timeout',
	};
}

/** The failure of a site whose last try was cut short, because the time for all tries was over. */
export function describeOutOfTime(site: string, maxTimeMs: number): FailureText {
	return {
		message: `The service did not send the whole answer for ${site} within ${maxTimeMs / 1000} seconds in all`,
		description: 'Run the workflow again, or raise Maximum Time per Site under Options.',
		cause: 'timeout',
	};
}

export function describeTooLarge(site: string, limitBytes: number): FailureText {
	return {
		message: `The answer for ${site} is larger than ${limitBytes / 1024 / 1024} MB`,
		description: 'Ask for fewer parts of the site, or tell the operator of the service.',
		cause: 'tooLarge',
	};
}

/** The failure of a connection. Many sites may be asked for at once, so it tells which one was not read. */
export function describeNoConnection(code: string, subject: string): Failure {
	const { message, description, passing } = describeConnectionFailure(code);
	return { message: `${message}, so ${subject} was not read`, description, passing, cause: code };
}

/**
 * The failure of documents that cannot be read in the time that they may wait. Nothing has been sent.
 *
 * @param planMs how long they take at least, in milliseconds.
 */
export function describePlan(
	documents: number,
	requestsPerMinute: number,
	planMs: number,
): FailureText {
	return {
		message: `Reading ${documents} sites would take at least ${spellDuration(planMs, Math.floor)}, longer than 'Maximum Wait' allows`,
		description: `The account may send ${spellRate(requestsPerMinute)}. Raise 'Maximum Wait' under Options, or read fewer sites in one run.`,
	};
}

/** The failure of a site that was not asked for, because the account's budget had no place for it in time. */
export function describeNoTurn(site: string, budget: Budget, lane: Lane): FailureText {
	return {
		message: `The request for ${site} would have waited longer than 'Maximum Wait' allows`,
		description: `${describeLimit(budget)} Run the workflow again in ${spellWait(budget, lane)}, or raise 'Maximum Wait' under Options.`,
		cause: 'noTurn',
	};
}

/** The failure of a request that is not repeated any more, with what was tried and what the service asks for. */
export function describeGivingUp(
	failure: Failure,
	{ tries, waitMs, leftMs }: { tries: number; waitMs: number; leftMs: number },
): Failure {
	const sentences = [
		...(waitMs > 0 ? [describeWait(waitMs, leftMs)] : []),
		failure.description,
		...(tries > 1 ? [`The request was sent ${tries} times.`] : []),
	];
	return { ...failure, description: sentences.join(' ') };
}

function describeWait(waitMs: number, leftMs: number): string {
	const isLonger = waitMs > leftMs ? ', which is longer than Maximum Time per Site allows' : '';
	return `The service asks you to wait for ${spellDuration(waitMs)}${isLonger}.`;
}

/** The failure of a request that was not sent, because no token was accepted. */
function describeNoToken(subject: string): FailureText {
	return {
		message: `No token was accepted, so ${subject} was not read`,
		description:
			'Open the credential and test it, then run the workflow again. If it goes on, tell the operator of the service.',
	};
}

/** The failure of a request that ended without an answer: no token, no connection, or n8n refused to send it. */
export function describeUnanswered(
	{ message, description, httpCode }: HelperError,
	subject: string,
	redact: Redact,
): Failure {
	const cause = causeOfTokenFailure(httpCode);
	if (cause !== undefined) {
		return { message, description: description ?? '', accountWide: true, cause };
	}
	// The credential asked for a token once more, and n8n does not ask twice.
	if (httpCode === '401') return describeNoToken(subject);
	if (httpCode) return describeNoConnection(httpCode, subject);
	return {
		message: redact(message),
		description: redact(description ?? 'n8n did not send the request.'),
		cause: 'notSent',
	};
}

/** The body of a failed answer in the form in which a person can read it, without secrets. */
export function readableBody({ text, json, fault }: Body, redact: Redact): unknown {
	const MAX_READABLE_CHARACTERS = 10_000;
	return fault === undefined && text.length <= MAX_READABLE_CHARACTERS
		? redactJson(json, redact, text)
		: redact(text).slice(0, MAX_READABLE_CHARACTERS);
}
