import { randomBytes } from 'node:crypto';
import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { ReceivedRequest } from './journal';

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

export interface Answer {
	status: number;
	json: unknown;
	headers?: Record<string, string>;
}

/**
 * Builds an unsuccessful answer in the published form, with a new `traceparent` of W3C Trace Context as its `traceId`.
 * The operator does not publish which `code` and `message` go with a failure, so nothing may depend on them.
 */
export function failure(status: number, message?: string): Answer {
	const hex = (bytes: number) => randomBytes(bytes).toString('hex');
	const traceId = `00-${hex(16)}-${hex(8)}-01`;
	const words = STATUS_CODES[status] ?? `Status ${status}`;
	const code = words.toLowerCase().replaceAll(/\W+/g, '_');
	return { status, json: { code, message: message ?? words, traceId } };
}

/** Waits with the global timer, which tests may fake; `node:timers/promises` escapes that. */
export async function sleep(milliseconds: number): Promise<void> {
	if (milliseconds > 0) await new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/**
 * Sends the answer to a request, or carries out its fault.
 *
 * @returns the status sent; 0 for none.
 */
export async function send(
	raw: ServerResponse,
	received: ReceivedRequest,
	documented: () => Answer,
): Promise<number> {
	const { fault } = received;
	switch (fault?.kind) {
		case 'status': {
			const { status, body, headers = {} } = fault;
			if (body !== undefined || status < 400) return end(raw, status, body ?? '', headers);
			return sendAnswer(raw, { ...failure(status), headers });
		}
		case 'body':
			return end(raw, 200, fault.body, {
				'content-type': fault.contentType ?? 'application/json',
			});
		case 'echo':
			return echo(raw, received, fault.status, fault.contentType);
		case 'huge':
			return end(raw, 200, 'a'.repeat(fault.bytes), JSON_TYPE);
		case 'reset':
			raw.socket?.resetAndDestroy();
			return 0;
		case 'hang':
			return 0;
		default:
	}
	const answer = documented();
	if (answer.status >= 400) return sendAnswer(raw, answer);
	switch (fault?.kind) {
		case 'echoBeside':
			return echoBeside(raw, received, answer);
		case 'truncated':
			return sendHalf(raw, answer);
		case 'trickle':
			return await trickle(raw, answer, fault.msPerByte);
		default:
			return sendAnswer(raw, answer);
	}
}

function sendAnswer(raw: ServerResponse, { status, json, headers }: Answer): number {
	return end(raw, status, JSON.stringify(json), { ...JSON_TYPE, ...headers });
}

function end(
	raw: ServerResponse,
	status: number,
	body: string | Buffer,
	headers: Record<string, string>,
): number {
	raw.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
	raw.end(body);
	return status;
}

function sendHalf(raw: ServerResponse, { status, json }: Answer): number {
	const body = Buffer.from(JSON.stringify(json));
	raw.writeHead(status, { ...JSON_TYPE, 'content-length': body.length });
	raw.write(body.subarray(0, body.length / 2), () => raw.socket?.destroy());
	return status;
}

async function trickle(raw: ServerResponse, { status, json }: Answer, msPerByte: number) {
	raw.writeHead(status, JSON_TYPE);
	for (const byte of Buffer.from(JSON.stringify(json))) {
		if (raw.destroyed) break;
		raw.write(Buffer.of(byte));
		await sleep(msPerByte);
	}
	raw.end();
	return status;
}

function echoBeside(
	raw: ServerResponse,
	{ url, headers, body }: ReceivedRequest,
	{ status, json }: Answer,
): number {
	const echoed = JSON.stringify({ url, headers, body });
	return end(raw, status, JSON.stringify({ ...(json as object), echoed }), {
		...JSON_TYPE,
		'x-echoed': encodeURIComponent(echoed),
	});
}

function echo(
	raw: ServerResponse,
	{ url, headers, body }: ReceivedRequest,
	status: number,
	contentType = 'application/json',
): number {
	const everything = JSON.stringify({ message: `refused: ${body}`, url, headers, body });
	return end(raw, status, contentType === 'text/html' ? `<p>${everything}</p>` : everything, {
		'content-type': contentType,
		'www-authenticate': `Bearer token="${String(headers.authorization)}"`,
		location: `https://example.com/?all=${encodeURIComponent(everything)}`,
	});
}
