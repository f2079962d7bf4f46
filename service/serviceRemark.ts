import { shortened } from '../texts/checked';
import { SENTENCES } from '../texts/messages';
import type { Redact } from './redact';

const MAX_MESSAGE_CHARACTERS = 300;
const MAX_TRACE_ID_CHARACTERS = 100;
const MAX_CODE_CHARACTERS = 100;

/**
 * What the service says in the body of an unsuccessful answer: `code`, `message` and `traceId`, each a text,
 * any of which may be missing (docs/service-interface.md, "Errors, body").
 *
 * @returns the description, with sentences for them at its end.
 */
export function withRemark(description: string, body: unknown, redact: Redact): string {
	const { code, message, traceId } = (body ?? {}) as Record<string, unknown>;
	const textOf = (value: unknown, maxCharacters: number) => {
		// Before the text is cut or changed: part of a secret would not be recognised.
		const line = typeof value === 'string' ? redact(value).replace(/\s+/g, ' ').trim() : '';
		return shortened(line, maxCharacters);
	};
	const said = textOf(message, MAX_MESSAGE_CHARACTERS) || textOf(code, MAX_CODE_CHARACTERS);
	const trace = textOf(traceId, MAX_TRACE_ID_CHARACTERS);
	return [
		description,
		...(said === '' ? [] : [SENTENCES.serviceSays(said)]),
		...(trace === '' ? [] : [SENTENCES.traceId(trace)]),
	].join(' ');
}
