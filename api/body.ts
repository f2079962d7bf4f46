/** Largest response body that is read, in bytes. A site with ten thousand units takes about a tenth of it. */
export const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** What keeps a body from being JSON. */
export type BodyFault = 'empty' | 'html' | 'malformed';

/** A response body: its text, and either the JSON value in it or what keeps it from being JSON. */
export interface Body {
	text: string;
	json?: unknown;
	fault?: BodyFault;
}

/** Thrown by {@link readBody} for a body beyond {@link MAX_BODY_BYTES}. */
export class BodyTooLargeError extends Error {}

/**
 * Reads a response stream to its end and looks at what it holds.
 *
 * @throws BodyTooLargeError as soon as the body is too large; the stream is destroyed then, as it is when the reading
 *   ends early for any other cause.
 */
export async function readBody(stream: AsyncIterable<Uint8Array>): Promise<Body> {
	const chunks: Uint8Array[] = [];
	let size = 0;
	for await (const chunk of stream) {
		size += chunk.byteLength;
		if (size > MAX_BODY_BYTES) throw new BodyTooLargeError('The response body is too large');
		chunks.push(chunk);
	}
	return parseBody(new TextDecoder().decode(concatenate(chunks, size)));
}

/** Looks at what a body's text holds. A byte order mark has been taken off by the decoder. */
export function parseBody(text: string): Body {
	const content = text.trim();
	if (content === '') return { text, fault: 'empty' };
	try {
		return { text, json: JSON.parse(content) as unknown };
	} catch {
		return { text, fault: content.startsWith('<') ? 'html' : 'malformed' };
	}
}

function concatenate(chunks: readonly Uint8Array[], size: number): Uint8Array {
	const [first] = chunks;
	if (chunks.length === 1 && first) return first;
	const whole = new Uint8Array(size);
	let offset = 0;
	for (const chunk of chunks) {
		whole.set(chunk, offset);
		offset += chunk.byteLength;
	}
	return whole;
}
