import { inspect } from 'node:util';
import fc from 'fast-check';
import type { ReceivedRequest } from '../../emulator/journal';
import { SITES } from '../../emulator/sites';
import { useFakeTime, type FakeTime } from '../../testbed/engine/fakeTime';
import { Harness, type Output } from '../../testbed/engine/harness';
import { faultPlan, TIMEOUT_SECONDS, type FaultPlan } from './faultPlans';

type PlannedExecution = FaultPlan['executions'][number];

/** FAULT_RUNS replaces the fixed plans with this many random ones. */
const PLANS = process.env.FAULT_RUNS
	? { numRuns: Number(process.env.FAULT_RUNS) }
	: { numRuns: 50, seed: 7 };

/** Answers with 401 and 429 do not count. */
const MAX_TRIES = 5;

/** Otherwise it cuts long lists and texts. */
const WHOLE = { depth: Infinity, maxArrayLength: Infinity, maxStringLength: Infinity };

describe('random faults', () => {
	const time = useFakeTime();

	it(
		'lose no items, cause no needless requests and show no secrets',
		async () => {
			await fc.assert(
				fc.asyncProperty(faultPlan, async (plan) => {
					expect(await findProblems(plan, time)).toEqual([]);
				}),
				PLANS,
			);
		},
		PLANS.numRuns * 10_000,
	);
});

/** Runs a plan with a new account, and lists all problems. Other tests check messages, and the timing of logins and cooldowns. */
async function findProblems(plan: FaultPlan, time: FakeTime): Promise<string[]> {
	const harness = await Harness.start({ latencyMs: plan.latencyMs, token: plan.tokens });
	try {
		return await findProblemsWith(harness, plan, time);
	} finally {
		await harness.stop();
	}
}

async function findProblemsWith(
	harness: Harness,
	plan: FaultPlan,
	time: FakeTime,
): Promise<string[]> {
	const { journal, tokens } = harness.emulator;
	const problems: string[] = [];
	for (const planned of plan.executions) {
		await time.advance(planned.afterMs);
		const before = journal.requests.length;
		const output = await execute(planned, harness, time);
		const requests = journal.requests.slice(before).filter(({ route }) => route === 'site');
		problems.push(...checkOutput(planned, output, requests), ...checkRequests(planned, requests));
		const shown = inspect(output, WHOLE);
		const secrets = [String(harness.credential.password), ...tokens.issued];
		if (secrets.some((secret) => shown.includes(secret))) problems.push('a secret is shown');
	}
	return problems;
}

async function execute(
	{ operation, items, onError, ignoreMissing, ...planned }: PlannedExecution,
	harness: Harness,
	time: FakeTime,
): Promise<Output> {
	const { emulator } = harness;
	for (const { siteId, fault } of planned.siteFaults) {
		emulator.fail({ route: 'site', siteId, fault, times: 1 });
	}
	for (const fault of planned.loginFaults) emulator.fail({ route: 'token', fault, times: 1 });
	const revocations = planned.revocations.map((ms) =>
		setTimeout(() => emulator.tokens.revokeAll(), ms),
	);
	const output = await time.settle(
		harness.run(
			{
				operation,
				siteId: '={{ $json.ids }}',
				siteIds: '={{ $json.ids }}',
				simplify: false,
				options: { ignoreMissing, timeout: TIMEOUT_SECONDS, maxWait: 1440 },
			},
			{ input: items.map((ids) => ({ ids: ids.join() })), onError },
		),
	);
	revocations.forEach(clearTimeout);
	return output;
}

interface Shown {
	item: number;
	/** 'error' for an error item. */
	siteId: unknown;
}

function siteIdOf({ url }: ReceivedRequest): number {
	return Number(/\/meta\/sites\/(-?\d+)/.exec(url)?.[1]);
}

/** Whether the emulator's answer leaves nothing to try again. */
function isFinal({ fault, status = 0, wasAborted }: ReceivedRequest): boolean {
	const isBroken = wasAborted || ['reset', 'hang', 'truncated'].includes(fault?.kind ?? '');
	return !isBroken && ![401, 408, 429, 500, 502, 503, 504].includes(status);
}

function isRead(request: ReceivedRequest | undefined): boolean {
	return (
		request !== undefined &&
		isFinal(request) &&
		request.status === 200 &&
		request.fault?.kind !== 'body'
	);
}

/** Checks that each site has its items or one error, in order and linked to its input item. */
function checkOutput(
	{ operation, items, onError, ignoreMissing }: PlannedExecution,
	output: Output,
	requests: readonly ReceivedRequest[],
): string[] {
	const lastOf = (id: number | string) => requests.filter((each) => siteIdOf(each) === id).at(-1);
	const due = items.flatMap((ids, item) =>
		ids.flatMap((id) => {
			const last = lastOf(id);
			if (last?.status === 404 && ignoreMissing) return [];
			if (!isRead(last)) return [{ item, siteId: 'error' }];
			const units = SITES.find(({ siteId }) => siteId === id)?.units ?? [];
			return Array<Shown>(operation === 'getUnits' ? units.length : 1).fill({ item, siteId: id });
		}),
	);
	if (onError === 'stopWorkflow' && output.error) {
		const readsFirst = items.flat().includes('none') && requests.length > 0;
		return [
			...(due.every(({ siteId }) => siteId !== 'error')
				? [`stopped by ${output.error.message}`]
				: []),
			...(readsFirst ? ['requests before all fields were read'] : []),
		];
	}
	// Error items come from the second output.
	const errorsLast = (one: Shown, other: Shown) =>
		Number(one.siteId === 'error') - Number(other.siteId === 'error');
	const expected = onError === 'continueErrorOutput' ? due.toSorted(errorsLast) : due;
	const shown = [...output.items, ...output.errorItems].map(({ json, pairedItem }) => {
		const { item } = pairedItem as { item: number };
		return { item, siteId: json.error === undefined ? json.siteId : 'error' };
	});
	const [got, wanted] = [shown, expected].map((entries) => JSON.stringify(entries));
	return got === wanted ? [] : [`${got} instead of ${wanted}`];
}

/** Checks that each request was asked for and needed. */
function checkRequests(
	{ items }: PlannedExecution,
	requests: readonly ReceivedRequest[],
): string[] {
	const asked = new Set(items.flat());
	const ids = new Set(requests.map(siteIdOf));
	return [...ids].flatMap((siteId) => {
		const sent = requests.filter((request) => siteIdOf(request) === siteId);
		const tries = sent.filter(({ status = 0 }) => ![401, 429].includes(status)).length;
		const isFinished = sent.slice(0, -1).some(isFinal);
		const reusesToken = sent.some(
			({ status, headers }, index) =>
				status === 401 && sent[index + 1]?.headers.authorization === headers.authorization,
		);
		return [
			...(asked.has(siteId) ? [] : [`nobody asked for ${siteId}`]),
			...(isFinished ? [`${siteId} was requested again after its answer`] : []),
			...(reusesToken ? [`${siteId} was requested again with a rejected token`] : []),
			...(tries > MAX_TRIES ? [`${siteId} was requested ${tries} times`] : []),
		];
	});
}
