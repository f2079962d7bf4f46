import { inspect } from 'node:util';
import fc from 'fast-check';
import type { ReceivedRequest } from '../../emulator/journal';
import { SITES } from '../../emulator/sites';
import { useFakeTime, type FakeTime } from '../../testbed/engine/fakeTime';
import { Harness, sitesIn, type Output } from '../../testbed/engine/harness';
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
			let items = 0;
			let read = 0;
			const property = fc.asyncProperty(faultPlan, async (plan) => {
				const harness = new Harness();
				await harness.start({ latencyMs: plan.latencyMs, token: plan.tokens });
				try {
					for (const planned of plan.executions) {
						const sites = sitesIn(await checkExecution(planned, harness, time));
						items += sites.length;
						read += sites.filter((site) => typeof site === 'number').length;
					}
				} finally {
					await harness.stop();
				}
			});
			await fc.assert(property, PLANS);

			// Otherwise, a node that fails without a request would pass.
			expect(read / items).toBeGreaterThan(0.5);
		},
		PLANS.numRuns * 10_000,
	);
});

/** Runs an execution of a plan, and returns its output. Other tests check messages, and the timing of logins and cooldowns. */
async function checkExecution(
	planned: PlannedExecution,
	harness: Harness,
	time: FakeTime,
): Promise<Output> {
	const { journal, tokens } = harness.emulator;
	await time.advance(planned.afterMs);
	const before = journal.requests.length;
	const output = await execute(planned, harness, time);
	const requests = journal.requests.slice(before).filter(({ route }) => route === 'site');
	expectAllItems(planned, output, requests);
	expectNeededRequests(planned, requests);
	const shown = inspect(output, WHOLE);
	const secrets = [String(harness.credential.password), ...tokens.issued];
	expect(secrets.filter((secret) => shown.includes(secret))).toEqual([]);
	return output;
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
function expectAllItems(
	{ operation, items, onError, ignoreMissing }: PlannedExecution,
	output: Output,
	requests: readonly ReceivedRequest[],
): void {
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
		expect(due.map(({ siteId }) => siteId)).toContain('error');
		// All fields are read before the first request.
		if (items.flat().includes('none')) expect(requests).toEqual([]);
		return;
	}
	// Error items come from the second output.
	const errorsLast = (one: Shown, other: Shown) =>
		Number(one.siteId === 'error') - Number(other.siteId === 'error');
	const shown = [...output.items, ...output.errorItems].map(({ json, pairedItem }) => {
		const { item } = pairedItem as { item: number };
		return { item, siteId: json.error === undefined ? json.siteId : 'error' };
	});
	expect(shown).toEqual(onError === 'continueErrorOutput' ? due.toSorted(errorsLast) : due);
}

/** Checks that each request was asked for and needed. */
function expectNeededRequests(
	{ items }: PlannedExecution,
	requests: readonly ReceivedRequest[],
): void {
	for (const siteId of new Set(requests.map(siteIdOf))) {
		const sent = requests.filter((request) => siteIdOf(request) === siteId);
		const tries = sent.filter(({ status = 0 }) => ![401, 429].includes(status));
		const withRejectedToken = sent.filter(
			({ headers }, index) =>
				sent[index - 1]?.status === 401 &&
				sent[index - 1]?.headers.authorization === headers.authorization,
		);
		expect(items.flat()).toContain(siteId);
		expect(sent.slice(0, -1).filter(isFinal)).toEqual([]);
		expect(withRejectedToken).toEqual([]);
		expect(tries.length).toBeLessThanOrEqual(MAX_TRIES);
	}
}
