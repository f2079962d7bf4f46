import type { Readable } from 'node:stream';
import axios from 'axios';
import { BodyTooLargeError, readBody, type Body } from '../../shared/body';
import type { Request } from './probes';

/** What the service answered, secrets and data included: nothing of it may be printed. */
export interface Answer {
	status?: number;
	/** By lower-case name. */
	headers: Record<string, unknown>;
	body?: Body;
	/** Why there is no answer, or no whole one: a code of Node.js, OpenSSL or axios, or one of these. */
	failure?: 'TIMEOUT' | 'TOO_LARGE' | (string & {});
}

/**
 * Sends one request once: no retry, no redirect.
 *
 * @param timeoutMs for the whole answer.
 * @throws whatever the request fails with when the signal aborts it. Any other failure is an answer.
 */
export async function send(
	{ method, url, headers, body }: Request,
	timeoutMs: number,
	signal: AbortSignal,
): Promise<Answer> {
	const timeout = AbortSignal.timeout(timeoutMs);
	let answer: Answer = { headers: {} };
	try {
		const response = await axios.request<Readable>({
			method,
			url,
			headers,
			data: body,
			signal: AbortSignal.any([signal, timeout]),
			responseType: 'stream',
			maxRedirects: 0,
			validateStatus: () => true,
		});
		answer = { status: response.status, headers: { ...response.headers } };
		return { ...answer, body: await readBody(response.data) };
	} catch (error) {
		if (signal.aborted) throw error;
		if (timeout.aborted) return { ...answer, failure: 'TIMEOUT' };
		if (error instanceof BodyTooLargeError) return { ...answer, failure: 'TOO_LARGE' };
		return { ...answer, failure: String((error as { code?: unknown }).code) };
	}
}
