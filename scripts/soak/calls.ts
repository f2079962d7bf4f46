import { setTimeout as sleep } from 'node:timers/promises';
import axios from 'axios';
import type { IDataObject } from 'n8n-workflow';
import type { Call, Planned } from './plan';

/** A call, and what its webhook answered. */
export interface AnsweredCall extends Call {
	index: number;
	/** Milliseconds since 1970. */
	sentAt: number;
	answeredAt: number;
	/** 0 where there was no answer. */
	status: number;
	text: string;
}

/** Longer than any execution may take. */
const PATIENCE_MS = 240_000;

/** Starts executions as planned, whether those before have ended or not, until the signal is aborted. */
export async function makeCalls(
	planned: ReadonlyArray<Planned<Call>>,
	address: string,
	rowsOf: (call: Call, index: number) => IDataObject[],
	signal: AbortSignal,
): Promise<AnsweredCall[]> {
	const begunAt = Date.now();
	const calls: Array<Promise<AnsweredCall>> = [];
	for (const [index, { at, what }] of planned.entries()) {
		await sleep(Math.max(0, begunAt + at - Date.now()), undefined, { signal });
		calls.push(makeCall(what, index, address, rowsOf(what, index)));
	}
	return await Promise.all(calls);
}

async function makeCall(
	call: Call,
	index: number,
	address: string,
	rows: IDataObject[],
): Promise<AnsweredCall> {
	const sentAt = Date.now();
	const { status, text } = await axios
		.post<string>(
			`${address}/webhook/${call.operation}`,
			{ rows },
			{ timeout: PATIENCE_MS, responseType: 'text', validateStatus: () => true },
		)
		.then(
			(response) => ({ status: response.status, text: response.data }),
			(error: Error) => ({ status: 0, text: error.message }),
		);
	return { ...call, index, sentAt, answeredAt: Date.now(), status, text };
}
