import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Fault } from './faults';
import type { ReceivedRequest } from './journal';
import { publishedError, type Particulars } from './publishedError';
import { sleep } from './sleep';

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

/** An answer that is no fault. */
export interface Answer {
	status: number;
	json: unknown;
	headers?: Record<string, string>;
	traceId?: string;
}

/** An unsuccessful answer with the published body. */
export function failure(status: number, particulars?: Particulars): Answer {
	const json = publishedError(status, particulars);
	return { status, json, traceId: json.traceId };
}

/**
 * Sends the answer to a request, or what its fault makes of it.
 *
 * @returns the status that was sent; 0 if there was none.
 */
export async function send(
	raw: ServerResponse,
	received: ReceivedRequest,
	documented: () => Answer,
): Promise<number> {
	const { fault } = received;
	switch (fault?.kind) {
		case 'status':
			return sendStatus(raw, received, fault);
		case 'body':
			return end(raw, 200, fault.body, {
				'content-type': fault.contentType ?? 'application/json',
			});
		case 'echo':
			return echo(raw, received, fault.status, fault.contentType);
		case 'reset':
			raw.socket?.resetAndDestroy();
			return 0;
		case 'hang':
			return 0;
		case 'huge':
			return await sendHuge(raw, fault.bytes);
		default:
	}
	const answer = documented();
	const { status, json } = answer;
	if (status >= 400) return sendAnswer(raw, received, answer);

	if (fault?.kind === 'echoBeside') return echoBeside(raw, received, answer);
	const body = Buffer.from(JSON.stringify(json));
	if (fault?.kind === 'truncated') {
		raw.writeHead(status, { ...JSON_TYPE, 'content-length': body.length });
		raw.write(body.subarray(0, body.length / 2), () => raw.socket?.destroy());
		return status;
	}
	if (fault?.kind === 'trickle') {
		raw.writeHead(status, { ...JSON_TYPE, 'content-length': body.length });
		for (const byte of body.subarray(0, -1)) {
			if (raw.destroyed) break;
			raw.write(Buffer.of(byte));
			await sleep(fault.msPerByte);
		}
		raw.end(body.subarray(-1));
		return status;
	}
	return end(raw, status, body, JSON_TYPE);
}

function sendStatus(
	raw: ServerResponse,
	received: ReceivedRequest,
	{ status, body, headers = {} }: Extract<Fault, { kind: 'status' }>,
): number {
	if (body !== undefined || status < 400) return end(raw, status, body ?? '', headers);
	return sendAnswer(raw, received, { ...failure(status), headers });
}

/** Sends an answer as it is. */
export function sendAnswer(
	raw: ServerResponse,
	received: ReceivedRequest,
	{ status, json, headers, traceId }: Answer,
): number {
	if (traceId !== undefined) received.traceId = traceId;
	return end(raw, status, JSON.stringify(json), { ...JSON_TYPE, ...headers });
}

function end(
	raw: ServerResponse,
	status: number,
	body: string | Buffer,
	headers: Record<string, string> = {},
): number {
	raw.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
	raw.end(body);
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

async function sendHuge(raw: ServerResponse, bytes: number): Promise<number> {
	const chunk = 'a'.repeat(64 * 1024);
	raw.writeHead(200, { 'content-type': 'application/json' });
	const document = Readable.from(
		(function* () {
			yield '"';
			for (let sent = 0; sent < bytes; sent += chunk.length) yield chunk;
			yield '"';
		})(),
	);
	// A client that has had enough closes the connection.
	await pipeline(document, raw).catch(() => undefined);
	return 200;
}
