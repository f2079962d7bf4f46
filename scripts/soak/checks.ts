import { parse } from 'flatted';
import type { IRunExecutionData } from 'n8n-workflow';
import type { Journal, ReceivedRequest } from '../../emulator/journal';
import {
	expectationOf,
	loginReply,
	needlessIn,
	siteOf,
	siteReply,
	type Reply,
} from '../../testbed/expectations';
import { itemsOf, type Execution } from '../../testbed/n8n/instance';
import { median } from '../figures';
import { callOf, type AnsweredCall } from './load';
import type { MemorySample } from './probe.mjs';
import { LIMITS, storedSite, TRIGGER, type SoakOperation } from './world';

/** Compares what the node has returned with what the service has done, by the service's journal alone. */
export class AnswerChecker {
	/** IDs for which the very items came that the service has sent. */
	read = 0;

	/** IDs with an error that fits what the service has done. */
	failed = 0;

	private readonly replies = new Map<number, Map<number, Reply[]>>();

	private readonly failedLogins: Reply[];

	constructor(journal: Journal) {
		for (const request of journal.of('site')) this.note(request);
		this.failedLogins = journal
			.of('token')
			.map(loginReply)
			.filter(({ kind }) => kind !== 'good');
	}

	/**
	 * What is wrong with the answers of the webhooks, and with the requests that they led to. Which call an execution
	 * belongs to, its requests tell.
	 */
	faultsOf(calls: readonly AnsweredCall[]): string[] {
		return calls.flatMap((call) =>
			[
				...[...new Set(call.ids)].flatMap((id) => needlessIn(this.repliesTo(call, id), LIMITS)),
				...this.faultsOfAnswer(call),
			].map((fault) => `call ${call.index}: ${fault}`),
		);
	}

	private faultsOfAnswer(call: AnsweredCall): string[] {
		if (isStopped(call)) return [];
		const items = call.status === 200 ? itemsIn(call.text) : undefined;
		if (!items) return [`status ${call.status}: ${call.text.slice(0, 200)}`];
		const faults: string[] = [];
		for (const siteId of call.ids) {
			const due = this.isRead(call, siteId) && itemsDue(call.operation, siteId);
			const got = items.splice(0, due ? due.length : 1);
			if (due && JSON.stringify(got) === JSON.stringify(due)) this.read += 1;
			else if (!due && this.isDue(call, siteId, got[0])) this.failed += 1;
			else faults.push(`site ${siteId} gave ${JSON.stringify(got).slice(0, 300)}`);
		}
		return items.length > 0 ? [...faults, `${items.length} items too many`] : faults;
	}

	/** Each call that was stopped is stored once, with the sentence for a site that was not read. */
	faultsOfStopped(calls: readonly AnsweredCall[], stored: readonly Execution[]): string[] {
		const faults: string[] = [];
		const due = new Map(calls.filter(isStopped).map((call) => [call.index, call]));
		for (const execution of stored) {
			const index = callOf(itemsOf(execution, 'Rows')[0]?.json.mark) ?? -1;
			const call = due.get(index);
			const { error } = (parse(execution.data) as IRunExecutionData).resultData;
			const item = { error: error?.message };
			const isFailed = (siteId: number) =>
				call && !this.isRead(call, siteId) && this.isDue(call, siteId, item);
			if (!call?.ids.some(isFailed)) faults.push(`call ${index} was stopped by ${error?.message}`);
			due.delete(index);
		}
		return [...faults, ...[...due.keys()].map((index) => `call ${index} is not stored`)];
	}

	/** How many requests for sites the calls led to. */
	get requests(): number {
		return [...this.replies.values()].flatMap((sites) => [...sites.values()]).flat().length;
	}

	private note(request: ReceivedRequest): void {
		const call = callOf(request.headers['service-version']);
		if (call === undefined) return;
		const sites = this.replies.get(call) ?? new Map<number, Reply[]>();
		this.replies.set(call, sites);
		const siteId = siteOf(request);
		sites.set(siteId, [...(sites.get(siteId) ?? []), siteReply(request, LIMITS)]);
	}

	private repliesTo({ index }: AnsweredCall, siteId: number): Reply[] {
		return this.replies.get(index)?.get(siteId) ?? [];
	}

	private isRead(call: AnsweredCall, siteId: number): boolean {
		return this.repliesTo(call, siteId).some(({ kind }) => kind === 'good');
	}

	/** Whether an error item, which has no fields but its own, says what the service has done last, or to the login. */
	private isDue(call: AnsweredCall, siteId: number, item: unknown): boolean {
		const { error, ...others } = (item ?? {}) as Record<string, unknown>;
		if (typeof error !== 'string') return false;
		if (Object.keys(others).some((name) => !BESIDE_ERROR.has(name))) return false;
		if ((others.siteId ?? siteId) !== siteId) return false;
		const { kind, told } = expectationOf(this.repliesTo(call, siteId), LIMITS);
		if (kind === 'failed' && told?.sentence?.test(error)) return true;
		/** How long a failed login is remembered, and its request under way. */
		const REMEMBERED_MS = 32_000;
		return this.failedLogins.some(
			({ sentence, request: { at } }) =>
				sentence?.test(error) && at <= call.answeredAt && at + REMEMBERED_MS >= call.sentAt,
		);
	}
}

function isStopped({ operation, status }: AnsweredCall): boolean {
	return operation === 'stop' && status === 500;
}

/** What an error item says beside the failure. */
const BESIDE_ERROR = new Set(['siteId', 'siteName', 'description', 'httpCode']);

function itemsIn(text: string): unknown[] | undefined {
	try {
		const items: unknown = JSON.parse(text);
		return Array.isArray(items) ? items : undefined;
	} catch {
		return undefined;
	}
}

function itemsDue(operation: SoakOperation, siteId: number): unknown[] {
	const site = storedSite(siteId);
	if (operation !== 'units') return [site];
	return (site?.units ?? []).map(({ unitId, unitName, latitude, longitude }) => ({
		siteId,
		siteName: site?.siteName,
		unitId,
		unitName,
		latitude,
		longitude,
	}));
}

/** A change of the watched licence as the trigger reports it. */
interface Change {
	oldValue: unknown;
	newValue: unknown;
}

/** What the trigger has reported, the oldest first. */
export function changesIn(executions: readonly Execution[]): Change[] {
	return executions
		.flatMap((execution) => itemsOf(execution, TRIGGER))
		.map(({ json }) => ({ oldValue: json.oldValue, newValue: json.newValue }));
}

/**
 * What is wrong with the changes: each begins where the one before has ended, goes on to a later licence, and the last
 * licence is reported. One that was replaced before a poll saw it is passed over.
 *
 * @param licences those that the site has had, in their order; the first one when the trigger was switched on.
 */
export function faultsOfChanges(
	changes: readonly Change[],
	licences: readonly unknown[],
): string[] {
	const faults: string[] = [];
	let known = 0;
	for (const { oldValue, newValue } of changes) {
		const next = licences.indexOf(newValue);
		if (oldValue !== licences[known] || next <= known) {
			faults.push(`trigger: ${oldValue} to ${newValue} after ${licences[known]}`);
		}
		known = next;
	}
	const isComplete = known === licences.length - 1;
	return isComplete ? faults : [...faults, `trigger: ${licences.at(-1)} was not reported`];
}

/** Names the texts in which a secret stands; not the secrets. */
export function findSecrets(
	texts: ReadonlyArray<{ name: string; text: string }>,
	secrets: readonly string[],
): string[] {
	return texts
		.filter(({ text }) => secrets.some((secret) => text.includes(secret)))
		.map(({ name }) => `${name} holds a secret`);
}

/** How the memory of a process has grown. */
export interface Growth {
	/** Megabytes at the end, after a collection. */
	heapMB: number;
	rssMB: number;
	/** Megabytes in an hour, in the second half of the time. */
	heapPerHour: number;
	samples: number;
}

/**
 * The growth in the second half of the time: in the first one, n8n compiles its code and fills its caches.
 *
 * @throws Error where there are too few samples.
 */
export function growthOf(samples: readonly MemorySample[]): Growth {
	const later = samples.slice(Math.floor(samples.length / 2));
	const last = later.at(-1);
	if (!last || later.length < 2) throw new Error('The memory was not sampled');
	return {
		heapMB: last.heap,
		rssMB: last.rss,
		heapPerHour: slopePerHour(later),
		samples: samples.length,
	};
}

/** The median of the heap's slopes between all pairs of samples (Theil and Sen), on which single peaks have no effect. */
function slopePerHour(samples: readonly MemorySample[]): number {
	const HOUR_MS = 3600 * 1000;
	return median(
		samples.flatMap((one, index) =>
			samples
				.slice(index + 1)
				.map((other) => ((other.heap - one.heap) * HOUR_MS) / (other.at - one.at)),
		),
	);
}
