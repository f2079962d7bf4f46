import { inspect } from 'node:util';
import fc from 'fast-check';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { ReceivedRequest } from '../../emulator/journal';
import { SITES, type StoredSite } from '../../emulator/sites';
import { Harness, type Output } from '../../testbed/engine/harness';
import {
	getExpectation,
	loginReply,
	findNeedlessRequests,
	NO_SITE_ID,
	getSiteId,
	siteReply,
	type Reply,
} from './expectations';
import { faultPlan, TIMEOUT_SECONDS, type FaultPlan } from './faultPlans';
import { useFakeTime, type FakeTime } from '../../testbed/engine/fakeTime';

type PlannedExecution = FaultPlan['executions'][number];

/** FAULT_RUNS replaces the fixed plans with this many random ones. */
const PLANS = process.env.FAULT_RUNS
	? { numRuns: Number(process.env.FAULT_RUNS) }
	: { numRuns: 50, seed: 7 };

describe('random faults', () => {
	const time = useFakeTime();

	it(
		'lose no items, show the right errors and cause no needless requests',
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

interface Seen {
	planned: PlannedExecution;
	output: Output;
	requests: ReceivedRequest[];
	/** As the emulator sent them. */
	sites: ReadonlyMap<number, StoredSite>;
}

/**
 * Runs a plan with a new account, and lists all problems. Other tests check the timing of logins and cooldowns.
 */
async function findProblems(plan: FaultPlan, time: FakeTime): Promise<string[]> {
	const harness = await Harness.start({ latencyMs: plan.latencyMs, token: plan.tokens });
	const { journal, tokens } = harness.emulator;

	const seen: Seen[] = [];
	for (const [index, planned] of plan.executions.entries()) {
		await time.advance(planned.afterMs);
		const before = journal.requests.length;
		const execution = await execute(planned, `execution ${index}`, harness, time);
		const own = journal.requests.slice(before);
		seen.push({ ...execution, requests: own.filter(({ route }) => route === 'site') });
	}
	await harness.stop();

	const logins = journal.of('token');
	const secrets = [String(harness.credential.password), ...tokens.issued];
	return [
		...seen.flatMap((execution) => checkOutput(execution, logins.map(loginReply))),
		...seen.flatMap(checkRequests),
		...seen.flatMap(({ output }) => checkSecrets(output, secrets)),
	];
}

/** @param label unique, to tell the data of executions apart */
async function execute(
	planned: PlannedExecution,
	label: string,
	harness: Harness,
	time: FakeTime,
): Promise<Omit<Seen, 'requests'>> {
	const { emulator } = harness;
	const sites = new Map(
		SITES.map((site) => [site.siteId, { ...site, siteName: `${site.siteId} of ${label}` }]),
	);
	for (const [siteId, site] of sites) emulator.changeSite(siteId, () => site);
	for (const { siteId, fault } of planned.siteFaults) {
		emulator.fail({ route: 'site', siteId, fault, times: 1 });
	}
	for (const fault of planned.loginFaults) emulator.fail({ route: 'token', fault, times: 1 });
	const revocations = planned.revocations.map((ms) =>
		setTimeout(() => emulator.tokens.revokeAll(), ms),
	);

	const { operation, items, onError, ignoreMissing } = planned;
	const options = {
		ignoreMissing,
		timeout: TIMEOUT_SECONDS,
		maxWait: 1440,
	};
	const output = await time.settle(
		harness.run(
			{
				operation,
				siteId: '={{ $json.ids }}',
				siteIds: '={{ $json.ids }}',
				simplify: false,
				options,
			},
			{ input: items.map((ids) => ({ ids: ids.join() })), onError },
		),
	);
	revocations.forEach(clearTimeout);
	return { planned, output, sites };
}

function repliesFor(siteId: number, { requests }: Seen): Reply[] {
	return requests
		.filter((request) => getSiteId(request) === siteId)
		.map((request) => siteReply(request, TIMEOUT_SECONDS));
}

/** Compares the output, item by item, with what the emulator did. */
function checkOutput(execution: Seen, logins: readonly Reply[]): string[] {
	const { planned, output } = execution;
	if (planned.onError === 'stopWorkflow' && output.error) return checkStop(execution, logins);

	const isBranched = planned.onError !== 'continueRegularOutput';
	const results = [...output.items];
	const errors = isBranched ? [...output.errorItems] : results;
	const faults = output.error ? [`stopped: ${output.error.message}`] : [];
	for (const [item, ids] of planned.items.entries()) {
		for (const id of ids) {
			const due = expectedItems(id, execution);
			if (due) {
				const fault = checkItems(results.splice(0, due.length), due, item);
				if (fault !== undefined) faults.push(`${id}: ${fault}`);
				continue;
			}
			const [got] = errors.splice(0, 1);
			const { error, message, description, siteId } = got?.json ?? {};
			const shown = {
				message: String(error),
				// The error output has no description.
				description: String(isBranched ? message : description),
			};
			const fault = checkError(id, shown, execution, logins);
			if (fault !== undefined) faults.push(fault);
			if (planned.operation === 'getSite' && typeof id === 'number' && !isBranched) {
				if (siteId !== id) faults.push(`${id}: said of ${String(siteId)}`);
			}
			if (JSON.stringify(got?.pairedItem) !== JSON.stringify({ item })) {
				faults.push(`${id}: not linked`);
			}
		}
	}
	const surplus = results.length + (isBranched ? errors.length : 0);
	return surplus === 0 ? faults : [...faults, `${surplus} items too many`];
}

/** With "Stop Workflow", the first failure fails the execution. */
function checkStop(execution: Seen, logins: readonly Reply[]): string[] {
	const { planned, output, requests } = execution;
	const error = output.error as NonNullable<Output['error']>;
	const isUnreadable = planned.items.flat().some((id) => typeof id === 'string');
	if (isUnreadable && requests.length > 0) return ['requests before all parameters were read'];
	if (output.items.length > 0) return ['items beside an error'];
	// Messages count items from 1.
	const [, counted] = /item (\d+)\)?$/.exec(error.message) ?? [];
	const itemIndex = counted === undefined ? error.context.itemIndex : Number(counted) - 1;
	const faults = (planned.items[Number(itemIndex)] ?? []).map((id) =>
		expectedItems(id, execution) ? `${id} was read` : checkError(id, error, execution, logins),
	);
	return faults.includes(undefined) ? [] : [`stopped by ${error.message}: ${faults.join()}`];
}

/** Returns undefined if the ID must give an error. */
function expectedItems(id: number | string, execution: Seen): IDataObject[] | undefined {
	const { planned, sites } = execution;
	if (typeof id === 'string') return undefined;
	const { kind, told } = getExpectation(repliesFor(id, execution));
	if (kind === 'failed' && told?.request.status === 404 && planned.ignoreMissing) return [];
	if (kind !== 'good') return undefined;
	const site = sites.get(id) as StoredSite;
	if (planned.operation !== 'getUnits') return [site as unknown as IDataObject];
	return (site.units ?? []).map(
		({ unitId = null, unitName = null, latitude = null, longitude = null }) => ({
			siteId: id,
			siteName: site.siteName,
			unitId,
			unitName,
			longitude,
			latitude,
		}),
	) as IDataObject[];
}

/** Compares fields, their order and the linked input item. */
function checkItems(
	got: readonly INodeExecutionData[],
	due: readonly IDataObject[],
	item: number,
): string | undefined {
	// The echo in a good answer is only searched for secrets.
	const withoutEcho = got.map(({ json, ...rest }) => ({
		json: { ...json, echoed: undefined },
		...rest,
	}));
	const shown = JSON.stringify(withoutEcho);
	const required = JSON.stringify(due.map((json) => ({ json, pairedItem: { item } })));
	return shown === required ? undefined : `gave ${shown}, not ${required}`;
}

function checkError(
	id: number | string,
	error: { message: string; description?: string | null | undefined },
	execution: Seen,
	logins: readonly Reply[],
): string | undefined {
	const { message } = error;
	if (typeof id === 'string') return NO_SITE_ID.test(message) ? undefined : `${id}: ${message}`;
	const replies = repliesFor(id, execution);
	const last = replies.at(-1);
	if (logins.some(({ sentence }) => sentence?.test(message))) {
		const isOver = last?.kind === 'final' || last?.kind === 'good';
		return isOver ? `${id} was answered, but: ${message}` : undefined;
	}
	const { kind, told, tries } = getExpectation(replies);
	const history = replies.map((reply) => `${reply.kind} ${reply.request.status}`).join();
	if (kind !== 'failed' || !told) return `${id} was given up (${history}): ${message}`;
	if (!told.sentence?.test(message)) return `${id} (${history}): ${message}`;
	const description = error.description ?? '';
	if (description === '') return `${id}: no hint for ${message}`;
	if (!description.includes(told.request.traceId ?? '')) return `${id}: no trace ID`;
	if (last?.kind === 'retryable' && tries > 1 && !description.includes(`${tries} times`)) {
		return `${id}: not said that it was sent ${tries} times: ${description}`;
	}
	return undefined;
}

function checkRequests(execution: Seen): string[] {
	const asked = new Set(execution.planned.items.flat());
	const others = execution.requests.filter((request) => !asked.has(getSiteId(request)));
	return [
		...others.map(({ url }) => `nobody has asked for ${url}`),
		...[...asked].flatMap((id) => findNeedlessRequests(repliesFor(Number(id), execution))),
	];
}

function checkSecrets(output: Output, secrets: readonly string[]): string[] {
	const { items, errorItems, hints, error } = output;
	const errors = [error, ...[...items, ...errorItems].map((item) => item.error)].filter(Boolean);
	const shown = JSON.stringify([items, errorItems, hints]) + inspect(errors, { depth: Infinity });
	return secrets.some((secret) => shown.includes(secret)) ? ['a secret is shown'] : [];
}
