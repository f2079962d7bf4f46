import { capitalise } from './phrases';

/** What people read about a failure, in the order in which they read it. */
export interface FailureText {
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
	/** Identifies a continuing failure that has no status. The message does not: it may contain times. */
	failureKey?: string;
}

/** Adds sentences to the note of a failure. */
export function addNote<Text extends FailureText>(text: Text, ...sentences: string[]): Text {
	return { ...text, note: [text.note, ...sentences].filter(Boolean).join(' ') };
}

/** Returns all that follows the message, a line each: what to do, the note, the words of the service, the trace ID. */
export function fullDescription({
	description,
	note,
	serviceMessage,
	traceId,
}: Omit<FailureText, 'message'>): string {
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
export function toOneLine({ message, ...text }: FailureText, name?: string): string {
	const begin = name === undefined ? '' : `${capitalise(name)}: `;
	return `${begin}${message}. ${fullDescription(text).replaceAll('\n', ' ')}`.trimEnd();
}

/** Returns a line for each failure, with what the service says and the trace ID. */
export function failureLines(
	failures: ReadonlyArray<Pick<FailureText, 'message' | 'serviceMessage' | 'traceId'>>,
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
