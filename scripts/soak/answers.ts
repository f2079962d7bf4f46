import { isDeepStrictEqual } from 'node:util';
import type { EnteredPassword } from './account';
import type { AnsweredCall } from './calls';
import type { Login } from './logins';
import type { SoakOperation } from './plan';
import type { Reply } from './replies';
import { STORED_SITES } from './sites';
import { LIMITS } from './workflows';

/** Why a site may not have been read. */
export const REASONS = [
	'no site ID',
	'answered for good',
	'tries used up',
	'asked to wait too long',
	'rejected again',
	'login failed',
] as const;

export type Reason = (typeof REASONS)[number];

/** What the service knows of the calls and the account. */
export interface Witness {
	/** The replies to the requests of a call, in their order, by the site. */
	repliesOf(call: number): ReadonlyMap<number, readonly Reply[]>;
	logins: readonly Login[];
	entered: readonly EnteredPassword[];
}

/** What came of a call. */
export interface Verdict {
	/** Entries of the call for which the very items came that had to come. */
	read: number;
	/** Entries with an error item, by the reason that the service knows of. */
	failed: Reason[];
	/** What must not be: an item that is missing, or is another one, or an error without a reason. */
	faults: string[];
}

/** Compares the answer of a call with what the service has sent for it. */
export function judgeAnswer(call: AnsweredCall, witness: Witness): Verdict {
	const verdict: Verdict = { read: 0, failed: [], faults: [] };
	const fault = (text: string) => verdict.faults.push(`call ${call.index}: ${text}`);
	const isStopped = call.operation === 'stop' && call.status === 500;
	if (isStopped) return judgeStopped(call, witness, verdict);
	const items = call.status === 200 ? parseItems(call.text) : undefined;
	if (!items) {
		fault(`status ${call.status}, ${call.text.slice(0, 200)}`);
		return verdict;
	}

	const replies = witness.repliesOf(call.index);
	let position = 0;
	for (const id of call.ids) {
		const own = replies.get(Number(id)) ?? [];
		if (own.some(({ kind }) => kind === 'read')) {
			const due = itemsOf(call.operation, Number(id));
			const got = items.slice(position, position + due.length);
			position += due.length;
			if (isDeepStrictEqual(got, due)) verdict.read += 1;
			else fault(`site ${id} was read, but out came ${JSON.stringify(got).slice(0, 300)}`);
			continue;
		}
		const { error, ...others } = (items[position] ?? {}) as Record<string, unknown>;
		position += 1;
		const reason = Object.keys(others).length === 0 && reasonFor(call, id, error, witness);
		if (reason) verdict.failed.push(reason);
		else
			fault(
				`site ${id} has the item ${JSON.stringify(items[position - 1])} without a reason: ${told(own)}`,
			);
	}
	if (position !== items.length) fault(`${items.length} items instead of ${position}`);
	return verdict;
}

/** Why the error stands for an entry of a call; undefined where the service knows no reason. */
export function reasonFor(
	call: AnsweredCall,
	id: number | string,
	error: unknown,
	witness: Witness,
): Reason | undefined {
	if (typeof id === 'string') {
		return error === `'Site ID' is not a whole number: "${id}"` ? 'no site ID' : undefined;
	}
	if (failedLogins(call, witness).some(({ failure }) => failure?.message === error)) {
		return 'login failed';
	}
	const own = witness.repliesOf(call.index).get(id) ?? [];
	const last = own.at(-1);
	if (!last || !own.some(({ message }) => message === error)) return undefined;
	if (last.kind === 'final') return 'answered for good';
	if (last.kind === 'rejected') {
		return last.mayStand || hasUsedUpTokens(own) ? 'rejected again' : undefined;
	}
	if (triesOf(own) >= LIMITS.maxTries) return 'tries used up';
	return last.waitSeconds > LIMITS.maxTime ? 'asked to wait too long' : undefined;
}

/** Requests for a site of a call that nothing explains: after an answer for good, or more than the tries allow. */
export function needlessRequests(replies: readonly Reply[]): number {
	const settledAt = replies.findIndex(({ kind }) => kind === 'read' || kind === 'final');
	const late = settledAt === -1 ? 0 : replies.length - 1 - settledAt;
	const rejected = replies.filter((_, index) => hasUsedUpTokens(replies.slice(0, index)));
	return late + Math.max(0, triesOf(replies) - LIMITS.maxTries) + rejected.length;
}

/** The replies in short, to look for what is behind a fault. */
function told(replies: readonly Reply[]): string {
	const from = replies[0]?.at ?? 0;
	return replies.map(({ kind, at, message }) => `${kind} +${at - from} ms ${message}`).join('; ');
}

/** A rejected request that is sent again with another token is one try. */
function triesOf(replies: readonly Reply[]): number {
	return replies.filter(({ kind }, index) => kind !== 'rejected' || index === replies.length - 1)
		.length;
}

/** Whether a try has used up its tokens: a request is sent with four of them. */
function hasUsedUpTokens(replies: readonly Reply[]): boolean {
	const TOKENS = 4;
	const last = replies.slice(-TOKENS);
	return last.length === TOKENS && last.every(({ kind }) => kind === 'rejected');
}

function judgeStopped(call: AnsweredCall, witness: Witness, verdict: Verdict): Verdict {
	const replies = witness.repliesOf(call.index);
	const isRead = (id: number | string) =>
		(replies.get(Number(id)) ?? []).some(({ kind }) => kind === 'read');
	if (call.ids.every(isRead) && failedLogins(call, witness).length === 0) {
		verdict.faults.push(`call ${call.index}: it failed, although all sites were read`);
	}
	return verdict;
}

/** The failed logins that can have been the failure of a call. */
function failedLogins(call: AnsweredCall, witness: Witness): Login[] {
	const passwords = enteredDuring(call, witness);
	return witness.logins.filter(
		({ at, password, failure }) =>
			failure !== undefined &&
			passwords.includes(password) &&
			at <= call.answeredAt &&
			at + failure.pauseMs >= call.sentAt - SLACK_MS,
	);
}

/** The passwords that a call can have read in n8n's credential. */
function enteredDuring({ sentAt, answeredAt }: AnsweredCall, { entered }: Witness): string[] {
	return entered
		.filter(({ from, until }) => from <= answeredAt && until >= sentAt)
		.map(({ password }) => password);
}

/** A failure is remembered from the moment at which n8n has read the answer. */
const SLACK_MS = 2000;

function parseItems(text: string): unknown[] | undefined {
	try {
		const items: unknown = JSON.parse(text);
		return Array.isArray(items) ? items : undefined;
	} catch {
		return undefined;
	}
}

const SITES = new Map(STORED_SITES.map((site) => [site.siteId, site]));

/** The items that a site must become. */
function itemsOf(operation: SoakOperation, siteId: number): unknown[] {
	const site = SITES.get(siteId);
	if (operation !== 'units') return [site];
	return (site?.units ?? []).map((unit) => ({ siteId, siteName: site?.siteName, ...unit }));
}
