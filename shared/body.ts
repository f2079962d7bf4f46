/** Largest response body that is read, in bytes. A site with ten thousand units takes about a tenth of it. */
export const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** How deep the values of a body may be nested. A site has three levels. */
export const MAX_LEVELS = 100;

/** What keeps a body from being JSON. */
type BodyFault =
	| 'empty'
	| 'html'
	| 'malformed'
	/** Values nested more than {@link MAX_LEVELS} deep: recursive functions, n8n's included, would overflow the stack. */
	| 'nested'
	/** Bytes that are not UTF-8, where no other charset is declared. */
	| 'notUtf8'
	/** A declared charset that is not known, or that the bytes are not in. */
	| 'charset';

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
export interface ByteStream {
	destroyed: boolean;
	on(event: 'data', listener: (chunk: Uint8Array) => void): unknown;
	on(event: 'end' | 'close', listener: () => void): unknown;
	on(event: 'error', listener: (error: Error) => void): unknown;
	destroy(): unknown;
}

/**
 * Reads a response stream to its end and looks at what it holds.
 *
 * @param contentType the header, of which the charset is used; without one, the body is UTF-8 (RFC 8259, 8.1).
 * @throws BodyTooLargeError as soon as the body is too large, the stream's own error, or one of its own where the stream
 *   is closed before its end. The stream is destroyed then.
 */
export async function readBody(stream: ByteStream, contentType?: unknown): Promise<Body> {
	const chunks: Uint8Array[] = [];
	let size = 0;
	// Events: an asynchronous iteration takes a fifteenth of the time of a request (Node.js 24).
	await new Promise<void>((resolve, reject) => {
		let isComplete = false;
		const close = () => {
			// Each stream is closed in the end, and an exception costs a fortieth of a request (Node.js 24).
			if (!isComplete) reject(new Error('The response was closed before its end'));
		};
		stream.on('data', (chunk) => {
			chunks.push(chunk);
			size += chunk.byteLength;
			if (size <= MAX_BODY_BYTES) return;
			reject(new BodyTooLargeError('The response body is too large'));
			stream.destroy();
		});
		stream.on('end', () => {
			isComplete = true;
			resolve();
		});
		stream.on('error', reject);
		stream.on('close', close);
		if (stream.destroyed) close();
	});
	return parseBody(decode(concatenate(chunks, size), contentType));
}

/** Looks at what a body's text holds. A byte order mark has been taken off by the decoder. */
function parseBody({ text, fault }: Body): Body {
	const content = text.trim();
	if (content === '') return { text, fault: 'empty' };
	if (content.startsWith('<')) return { text, fault: 'html' };
	if (fault) return { text, fault };
	if (isNested(content)) return { text, fault: 'nested' };
	try {
		return { text, json: JSON.parse(content) as unknown };
	} catch {
		return { text, fault: 'malformed' };
	}
}

/** The text of a body, by its byte order mark or else by its declared charset. */
function decode(bytes: Uint8Array, contentType: unknown): Body {
	const charset = markedCharset(bytes) ?? declaredCharset(contentType) ?? UTF_8;
	try {
		return { text: new TextDecoder(charset, { fatal: true }).decode(bytes) };
	} catch {
		const isUtf8 = [UTF_8, 'utf8'].includes(charset.toLowerCase());
		return { text: new TextDecoder().decode(bytes), fault: isUtf8 ? 'notUtf8' : 'charset' };
	}
}

const UTF_8 = 'utf-8';

/** The charset that a byte order mark stands for. */
function markedCharset([first, second, third]: Uint8Array): string | undefined {
	if (first === 0xef && second === 0xbb && third === 0xbf) return UTF_8;
	if (first === 0xfe && second === 0xff) return 'utf-16be';
	return first === 0xff && second === 0xfe ? 'utf-16le' : undefined;
}

/** The parameter `charset` of a content type (RFC 9110, 8.3.2). */
function declaredCharset(contentType: unknown): string | undefined {
	if (typeof contentType !== 'string') return undefined;
	return /;\s*charset\s*=\s*["']?([^"';\s]+)/i.exec(contentType)?.[1];
}

/** Whether the values of a JSON text are nested too deep. It is judged before parsing, which takes memory for each level. */
function isNested(json: string): boolean {
	let level = 0;
	let isText = false;
	for (let index = 0; index < json.length; index++) {
		switch (json[index]) {
			case '"':
				isText = !isText;
				break;
			case '\\':
				index++;
				break;
			case '[':
			case '{':
				if (!isText) level++;
				if (level > MAX_LEVELS) return true;
				break;
			case ']':
			case '}':
				if (!isText) level--;
				break;
			default:
		}
	}
	return false;
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
