import { capitalise } from './phrases';

/*
 * What is a failure, and where are the texts that people read?
 *
 * | About                                                       | Texts in                     |
 * | ----------------------------------------------------------- | ---------------------------- |
 * | the value of a field, an item, the credential or a document | `messages/invalid.ts`        |
 * | a request without an answer, or with an unusable one        | `service/requestFailures.ts` |
 * | the status of an answer                                     | `service/statusFailures.ts`  |
 * | the request limit                                           | `limit/noSlot.ts`            |
 * | notices beside the output of an execution                   | `output/executionNotices.ts` |
 * | failed executions and status reports of a trigger           | `messages/trigger.ts`        |
 * | changes, as sentences                                       | `trigger/changeItem.ts`      |
 * | the panel and the credential's form                         | beside each field            |
 * | words and sentences that several of them share              | `messages/phrases.ts`        |
 */

/** A value, or why there is none: a `Failure` of a request, or `Invalid` for what somebody entered. */
export type Result<T, F> = { value: T; failure?: never } | { value?: never; failure: F };

/** Why something failed: what people read, in the order in which they read it, then what it means for programs. */
export interface Failure {
	/** What happened: one clause with its subject. */
	message: string;
	/** What to do first. */
	description: string;
	/** What else helps or matters. */
	note?: string | undefined;
	/** What the service says. */
	serviceMessage?: string | undefined;
	/** Lets the operator of the service find the request in their logs. */
	traceId?: string | undefined;
	/** Absent if it makes no difference to programs what failed. */
	kind?: FailureKind;
	/** Whether the same request may succeed a little later. */
	isTransient?: boolean;
	/** Whether nothing more is sent, because every other request would fail for the same reason. So it says nothing about the document. */
	stopsAll?: boolean;
	/** How long the service asks to wait, in milliseconds. */
	waitMs?: number | undefined;
	/** Status of the service's answer, if there was one. */
	statusCode?: number;
	/** Body of the answer without secrets, parsed if it is JSON. */
	body?: unknown;
}

/**
 * What failed:
 *
 * - `noSlot`: the request got no slot in time.
 * - `cancelled`: the execution or poll has ended.
 * - `loginRefused`: the service refused username and password, and repeating the login could lock the account.
 * - `notFound`: the service does not know the document.
 * - `forbidden`: the account has no right to read the document.
 */
type FailureKind = 'noSlot' | 'cancelled' | 'loginRefused' | 'notFound' | 'forbidden';

/** Adds sentences to the note of a failure. */
export function addNote<F extends Failure>(failure: F, ...sentences: string[]): F {
	return { ...failure, note: [failure.note, ...sentences].filter(Boolean).join(' ') };
}

/** Returns all that follows the message, a line each: what to do, the note, the words of the service, the trace ID. */
export function fullDescription({
	description,
	note,
	serviceMessage,
	traceId,
}: Omit<Failure, 'message'>): string {
	const isSentence = /[.!?…]$/.test(serviceMessage ?? '');
	const lines = [
		description,
		note,
		serviceMessage && `The service says: "${serviceMessage}"${isSentence ? '' : '.'}`,
		traceId && `Trace ID for the operator: ${traceId}.`,
	];
	return lines.filter(Boolean).join('\n');
}

/**
 * Returns a failure on one line, for where there is nothing but a message.
 *
 * @param name of the site, if the message does not name it.
 */
export function toOneLine({ message, ...text }: Failure, name?: string): string {
	const begin = name === undefined ? '' : `${capitalise(name)}: `;
	return `${begin}${message}. ${fullDescription(text).replaceAll('\n', ' ')}`.trimEnd();
}

/** Returns a line for each failure, with what the service says and the trace ID. */
export function failureLines(
	failures: ReadonlyArray<Pick<Failure, 'message' | 'serviceMessage' | 'traceId'>>,
): string[] {
	const MAX_LINES = 10;
	const more = failures.length - MAX_LINES;
	const lines = failures.slice(0, MAX_LINES).map(({ message, serviceMessage, traceId }) => {
		const added = [
			serviceMessage && `"${serviceMessage}"`,
			traceId && `trace ID ${traceId}`,
		].filter(Boolean);
		return `${message}${added.length > 0 ? ` (${added.join(', ')})` : ''}.`;
	});
	return more > 0 ? [...lines, `And ${more} more.`] : lines;
}

/** What a request is for, in the words of the messages about it. */
export interface Subject {
	/** "site 1001", or "the login". */
	name: string;
	/** "the request for site 1001", or "the login". */
	request: string;
	/** "The answer for site 1001", or "The answer to the login". */
	answer: string;
	/** Ends a sentence: ", so site 1001 was not read"; empty for the login. */
	consequence: string;
}

export const LOGIN: Subject = {
	name: 'the login',
	request: 'the login',
	answer: 'The answer to the login',
	consequence: '',
};

/** @param name names the document within a sentence: "site 1001". */
export function documentSubject(name: string): Subject {
	return {
		name,
		request: `the request for ${name}`,
		answer: `The answer for ${name}`,
		consequence: `, so ${name} was not read`,
	};
}
