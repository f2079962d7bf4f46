import type { Execution } from '../../testbed/n8n/instance';
import { until } from '../../testbed/wait';
import { faultsOfEdits } from './account';
import { judgeAnswer, needlessRequests, REASONS, type Reason } from './answers';
import { makeCalls, type AnsweredCall } from './calls';
import { faultsOfChanges } from './changes';
import { disturb } from './disturbances';
import { CallJournal } from './journal';
import { growthOf } from './memory';
import type { Plan } from './plan';
import type { Results } from './results';
import { findSecrets, type Searched } from './secrets';
import { STORED_SITES, WATCHED_SITE } from './sites';
import { changesIn, faultsOfStopped } from './stored';
import { rowsOf, TRIGGER } from './workflows';
import type { World } from './world';

/** What a soak shows by itself, without its circumstances. */
export type Findings = Pick<
	Results,
	| 'calls'
	| 'disturbances'
	| 'entries'
	| 'stopped'
	| 'requests'
	| 'exchanges'
	| 'edits'
	| 'changes'
	| 'secrets'
	| 'memory'
	| 'faults'
>;

/** Carries a plan out, and looks at all that came of it. */
export async function soak(world: World, plan: Plan, signal: AbortSignal): Promise<Findings> {
	const { service, account, soaked, control } = world;
	const begunAt = Date.now();
	const [calls, controlCalls, { counts, licences }] = await Promise.all([
		makeCalls(plan.calls, soaked.n8n.address, rowsOf, signal),
		makeCalls(plan.calls, control.n8n.address, rowsOf, signal),
		disturb(plan.disturbances, service, account, signal),
	]);
	const endedAt = Date.now();
	const untaken = controlCalls.filter(({ status }) => status !== 200);

	const all = [firstLicence(), ...licences];
	const watching = await watchedExecutions(world, all);
	const stopped = await soaked.n8n.executionsOf(world.stopping);
	const journal = new CallJournal(service.journal, account.entered);
	const verdicts = calls.map((call) => judgeAnswer(call, journal));
	const replies = journal.all();
	const exchanges = journal.tokens.explain();
	const told = changesIn(watching);
	return {
		calls: calls.length,
		disturbances: counts,
		entries: {
			read: sum(verdicts.map(({ read }) => read)),
			failed: countReasons(verdicts.flatMap(({ failed }) => failed)),
		},
		stopped: stopped.length,
		requests: {
			sites: sum(replies.map(({ length }) => length)),
			asked: replies.length,
			mostForASite: Math.max(0, ...replies.map(({ length }) => length)),
			needless: sum(replies.map(needlessRequests)),
		},
		exchanges: {
			requests: journal.logins.length,
			issued: journal.logins.filter(({ token }) => token !== undefined).length,
			causes: exchanges.causes,
			unexplained: exchanges.unexplained.length,
		},
		edits: { made: account.edits.length, lost: account.lostEdits.length },
		changes: { made: licences.length, told: told.length },
		secrets: await searchSecrets(world, calls, [...stopped, ...watching]),
		memory: {
			soaked: growthOf(await soaked.samplesBetween(begunAt, endedAt)),
			control: growthOf(await control.samplesBetween(begunAt, endedAt)),
		},
		faults: [
			...verdicts.flatMap(({ faults }) => faults),
			...faultsOfStopped(stopped, calls, journal),
			...faultsOfChanges(told, all).map((fault) => `trigger: ${fault}`),
			...faultsOfEdits(account.lostEdits, journal.logins),
			...untaken.map(({ index, text }) => `control, call ${index}: ${text.slice(0, 200)}`),
			...(await complaintsOf(world)),
		],
	};
}

/** The executions of the trigger's workflow, once the last change has been told, or should have been. */
async function watchedExecutions(
	{ soaked, watching }: World,
	licences: readonly string[],
): Promise<Execution[]> {
	const POLLS_MS = 30_000;
	const executions = async () => await soaked.n8n.executionsOf(watching);
	const isTold = async () => changesIn(await executions()).at(-1)?.newValue === licences.at(-1);
	if (licences.length > 1) await until(isTold, POLLS_MS).catch(() => undefined);
	return await executions();
}

/** What n8n complains of, but for the failures of polls, which the trigger is to tell. */
async function complaintsOf({ soaked }: World): Promise<string[]> {
	const complaints = await soaked.n8n.home.complaints();
	return complaints
		.filter((line) => !line.includes(`| warn  | ${TRIGGER}: `))
		.map((line) => `log: ${line}`);
}

async function searchSecrets(
	{ service, account, soaked }: World,
	calls: readonly AnsweredCall[],
	executions: readonly Execution[],
): Promise<Results['secrets']> {
	const secrets = [...account.entered.map(({ password }) => password), ...service.tokens.issued];
	const texts: Searched[] = [
		...calls.map(({ index, text }) => ({ name: `call ${index}`, text })),
		...executions.map(({ data }, index) => ({ name: `stored execution ${index}`, text: data })),
		{ name: 'the log', text: await soaked.n8n.home.log() },
		{ name: 'the database', text: await soaked.n8n.home.database() },
	];
	return {
		lookedFor: secrets.length,
		searchedMB: Math.round(sum(texts.map(({ text }) => text.length)) / 1e6),
		found: findSecrets(texts, secrets),
	};
}

function firstLicence(): string {
	return STORED_SITES.find(({ siteId }) => siteId === WATCHED_SITE)?.info?.license ?? '';
}

function countReasons(reasons: readonly Reason[]): Record<Reason, number> {
	const counts = REASONS.map((reason) => [reason, reasons.filter((one) => one === reason).length]);
	return Object.fromEntries(counts) as Record<Reason, number>;
}

function sum(values: readonly number[]): number {
	return values.reduce((total, value) => total + value, 0);
}
