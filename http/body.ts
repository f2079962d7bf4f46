/** Largest response body that is read, in bytes. A site with ten thousand units takes about a tenth of it. */
export const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** What keeps a body from being JSON in UTF-8 (RFC 8259, 8.1). */
type BodyFault = 'empty' | 'html' | 'malformed' | 'notUtf8';

/** A response body: its text, and either the JSON value in it or what keeps it from being JSON. */
export interface Body {
	/** With U+FFFD in place of what cannot be decoded. */
	text: string;
	json?: unknown;
	fault?: BodyFault;
}

/** Thrown by {@link readBody} for a body beyond {@link MAX_BODY_BYTES}. */
export class BodyTooLargeError extends Error {}

/** What is used of the stream of a response: Node.js's `Readable` is one. */
export interface ByteStream extends AsyncIterable<Uint8Array> {
	destroy(): unknown;
}

/**
 * Reads a response stream to its end and looks at what it holds.
 *
 * @throws BodyTooLargeError as soon as the body is too large, or the stream's own error, also if it is closed before its end.
 *   The stream is destroyed then.
 */
export async function readBody(stream: ByteStream): Promise<Body> {
	const chunks: Uint8Array[] = [];
	let size = 0;
	for await (const chunk of stream) {
		chunks.push(chunk);
		size += chunk.byteLength;
		if (size > MAX_BODY_BYTES) throw new BodyTooLargeError('The response body is too large');
	}
	return parseBody(decode(Buffer.concat(chunks)));
}

/** Looks at what a body's text holds. A byte order mark has been taken off by the decoder. */
function parseBody({ text, fault }: Body): Body {
	const content = text.trim();
	if (content === '') return { text, fault: 'empty' };
	if (content.startsWith('<')) return { text, fault: 'html' };
	if (fault) return { text, fault };
	try {
		return { text, json: JSON.parse(content) as unknown };
	} catch {
		return { text, fault: 'malformed' };
	}
}

function decode(bytes: Uint8Array): Body {
	try {
		return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
	} catch {
		return { text: new TextDecoder().decode(bytes), fault: 'notUtf8' };
	}
}
