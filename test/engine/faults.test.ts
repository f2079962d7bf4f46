import { inspect } from 'node:util';
import fc from 'fast-check';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { ReceivedRequest } from '../../emulator/journal';
import { SITES, type StoredSite } from '../../emulator/sites';
import { Rig, type Output } from '../../testbed/engine/rig';
import {
	expectationOf,
	loginReply,
	needlessIn,
	NO_SITE_ID,
	siteOf,
	siteReply,
	type Limits,
	type Reply,
} from '../../testbed/expectations';
import { faultPlan, LIMITS, type FaultPlan } from './faultPlans';
import { jumpingTime, type Jumps } from '../../testbed/engine/jumpingTime';

type PlannedExecution = FaultPlan['executions'][number];

/** How many plans are drawn: the same each time, or as many random ones as are asked for. */
const PLANS = process.env.FAULT_RUNS
	? { numRuns: Number(process.env.FAULT_RUNS) }
	: { numRuns: 50, seed: 7 };

describe('in every random plan of faults', () => {
	const jumps = jumpingTime();
	let rig: Rig;

	beforeAll(async () => {
		rig = await Rig.start();
	});
	afterAll(async () => await rig.stop());

	it(
		'nothing is lost, each failed site says what happened to it, and nothing is sent without need',
		async () => {
			await fc.assert(
				fc.asyncProperty(faultPlan, async (plan) => {
					expect(await faultsOf(plan, rig, jumps)).toEqual([]);
				}),
				PLANS,
			);
		},
		30_000 + PLANS.numRuns * 1000,
	);
});

/** What an execution of a plan has shown. Times are milliseconds since 1970. */
interface Seen {
	planned: PlannedExecution;
	limits: Limits;
	beganAt: number;
	endedAt: number;
	output: Output;
	/** The site requests of the execution. */
	requests: ReceivedRequest[];
	/** As the emulator sent them. */
	sites: ReadonlyMap<number, StoredSite>;
}

/** Carries a plan out with a new account, and says everything that is wrong. */
async function faultsOf(plan: FaultPlan, rig: Rig, jumps: Jumps): Promise<string[]> {
	const { emulator } = rig;
	emulator.reset();
	emulator.settings.accounts = {};
	emulator.settings.latencyMs = plan.latencyMs;
	Object.assign(emulator.tokens.settings, plan.tokens);
	const { username, password } = rig.setCredential();
	const random = jest.spyOn(Math, 'random').mockReturnValue(plan.jitter);
	// Those of other accounts are left over from executions that were stopped.
	const requestsSoFar = () =>
		emulator.journal.requests.filter(({ account }) => account === username);

	const seen: Seen[] = [];
	for (const [index, planned] of plan.executions.entries()) {
		await jumps.wait(planned.afterMs);
		const before = requestsSoFar().length;
		const execution = await execute(planned, `execution ${index}`, rig, jumps);
		const own = requestsSoFar().slice(before);
		seen.push({ ...execution, requests: own.filter(({ route }) => route === 'site') });
	}
	random.mockRestore();

	const requests = requestsSoFar();
	const account = new AccountHistory(plan, requests);
	const secrets = [password, ...account.logins.flatMap(({ issued }) => issued ?? [])];
	return [
		...seen.flatMap((execution) => faultsOfOutput(execution, account)),
		...seen.flatMap(faultsOfRequests),
		...seen.flatMap(({ output }) => faultsOfSecrets(output, secrets)),
		...account.needlessLogins(),
		...faultsOfRefusals(plan, requests, seen),
	];
}

/** @param label no two executions are sent the same. */
async function execute(
	planned: PlannedExecution,
	label: string,
	rig: Rig,
	jumps: Jumps,
): Promise<Omit<Seen, 'requests'>> {
	const { emulator } = rig;
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

	const { operation, items, onError, ignoreMissing, concurrentRequests, maxTries } = planned;
	const limits = { ...LIMITS, maxTries };
	const options = {
		ignoreMissing,
		concurrentRequests,
		maxTries,
		timeout: LIMITS.timeoutSeconds,
		maxTime: LIMITS.maxTimeSeconds,
		maxWait: 1440,
	};
	const beganAt = Date.now();
	const output = await jumps.until(
		rig.run(
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
	return { planned, limits, beganAt, endedAt: Date.now(), output, sites };
}

function repliesFor(siteId: number, { requests, limits }: Seen): Reply[] {
	return requests
		.filter((request) => siteOf(request) === siteId)
		.map((request) => siteReply(request, limits));
}

/** Compares what the node has returned, item by item, with what the emulator has done. */
function faultsOfOutput(execution: Seen, account: AccountHistory): string[] {
	const { planned, output } = execution;
	if (planned.onError === 'stopWorkflow' && output.error) return faultsOfStop(execution, account);

	const isBranched = planned.onError !== 'continueRegularOutput';
	const results = [...output.items];
	const errors = isBranched ? [...output.errorItems] : results;
	const faults = output.error ? [`stopped: ${output.error.message}`] : [];
	for (const [item, ids] of planned.items.entries()) {
		for (const id of ids) {
			const due = itemsDue(id, execution);
			if (due) {
				const fault = faultOfItems(results.splice(0, due.length), due, item);
				if (fault !== undefined) faults.push(`${id}: ${fault}`);
				continue;
			}
			const [got] = errors.splice(0, 1);
			const { error, message, description, siteId } = got?.json ?? {};
			const shown = {
				message: String(error),
				// The error branch has no field for it.
				description: String(isBranched ? message : description),
			};
			const fault = faultOfError(id, shown, execution, account);
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

/** With "Stop Workflow", the first failure of a site is the failure of the execution. */
function faultsOfStop(execution: Seen, account: AccountHistory): string[] {
	const { planned, output, requests } = execution;
	const error = output.error as NonNullable<Output['error']>;
	const isUnreadable = planned.items.flat().some((id) => typeof id === 'string');
	if (isUnreadable && requests.length > 0) return ['requests before all parameters were read'];
	if (output.items.length > 0) return ['items beside an error'];
	const faults = (planned.items[Number(error.context.itemIndex)] ?? []).map((id) =>
		itemsDue(id, execution) ? `${id} was read` : faultOfError(id, error, execution, account),
	);
	return faults.includes(undefined) ? [] : [`stopped by ${error.message}: ${faults.join()}`];
}

/** The items that an ID must give; undefined where it must give an error. */
function itemsDue(id: number | string, execution: Seen): IDataObject[] | undefined {
	const { planned, sites, limits } = execution;
	if (typeof id === 'string') return undefined;
	const { kind, told } = expectationOf(repliesFor(id, execution), limits);
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
			latitude,
			longitude,
		}),
	) as IDataObject[];
}

/** The very items, with their fields in the same order, and linked to the item that asked for them. */
function faultOfItems(
	got: readonly INodeExecutionData[],
	due: readonly IDataObject[],
	item: number,
): string | undefined {
	// A good answer may repeat what was sent in a further field, which is searched for secrets.
	const withoutEcho = got.map(({ json, ...rest }) => ({
		json: { ...json, echoed: undefined },
		...rest,
	}));
	const shown = JSON.stringify(withoutEcho);
	const required = JSON.stringify(due.map((json) => ({ json, pairedItem: { item } })));
	return shown === required ? undefined : `gave ${shown}, not ${required}`;
}

/** What is wrong with the error of an ID that was not read. */
function faultOfError(
	id: number | string,
	error: { message: string; description?: string | null | undefined },
	execution: Seen,
	account: AccountHistory,
): string | undefined {
	const { message } = error;
	if (typeof id === 'string') return NO_SITE_ID.test(message) ? undefined : `${id}: ${message}`;
	const replies = repliesFor(id, execution);
	const last = replies.at(-1);
	if (account.explains(message, last?.request.at ?? execution.beganAt, execution.endedAt)) {
		const isOver = last?.kind === 'final' || last?.kind === 'good';
		return isOver ? `${id} was answered, but: ${message}` : undefined;
	}
	const { kind, told, tries } = expectationOf(replies, execution.limits);
	const history = replies.map((reply) => `${reply.kind} ${reply.request.status}`).join();
	if (kind !== 'failed' || !told) return `${id} was given up (${history}): ${message}`;
	if (told.request.status === 404 && namesAmongUnknown(message, id)) return undefined;
	if (!told.sentence?.test(message)) return `${id} (${history}): ${message}`;
	if (told.kind === 'rejected' && !account.mayStand(told.request, replies)) {
		return `${id} was rejected (${history}), and asked no more: ${message}`;
	}
	const description = error.description ?? '';
	if (description === '') return `${id}: no hint for ${message}`;
	if (!description.includes(told.request.traceId ?? '')) return `${id}: no trace ID`;
	if (last?.kind === 'retryable' && tries > 1 && !description.includes(`${tries} times`)) {
		return `${id}: not said that it was sent ${tries} times: ${description}`;
	}
	return undefined;
}

/** Whether the message is that of several sites that the service does not know, and names this one. */
function namesAmongUnknown(message: string, siteId: number): boolean {
	const [, list] = /^The service does not know the sites (.+)$/.exec(message) ?? [];
	return list?.split(', ').includes(String(siteId)) ?? false;
}

function faultsOfRequests(execution: Seen): string[] {
	const asked = new Set(execution.planned.items.flat());
	const others = execution.requests.filter((request) => !asked.has(siteOf(request)));
	return [
		...others.map(({ url }) => `nobody has asked for ${url}`),
		...[...asked].flatMap((id) => needlessIn(repliesFor(Number(id), execution), execution.limits)),
	];
}

function faultsOfSecrets(output: Output, secrets: readonly string[]): string[] {
	const { items, errorItems, hints, error } = output;
	const errors = [error, ...[...items, ...errorItems].map((item) => item.error)].filter(Boolean);
	const shown = JSON.stringify([items, errorItems, hints]) + inspect(errors, { depth: Infinity });
	return secrets.some((secret) => shown.includes(secret)) ? ['a secret is shown'] : [];
}

/** After a refusal the account sends nothing for as long as it was asked to, or for a minute. */
function faultsOfRefusals(
	{ latencyMs }: FaultPlan,
	requests: readonly ReceivedRequest[],
	seen: readonly Seen[],
): string[] {
	// An execution that stops does not read the answers that are on their way.
	const isUnread = (request: ReceivedRequest) =>
		seen.some(({ output, requests: own }) => output.error && own.includes(request));
	return requests
		.filter((request) => request.status === 429 && !isUnread(request))
		.flatMap((refused) => {
			const answeredAt = refused.at + latencyMs;
			const waitMs = refusalMs(refused);
			return requests
				.filter(({ at }) => at > answeredAt + 1 && at < answeredAt + waitMs)
				.map(({ url }) => `sent after a refusal: ${url}`);
		});
}

/** How long the account must wait after a refusal. */
function refusalMs(refused: ReceivedRequest): number {
	return (loginReply(refused).waitSeconds || 60) * 1000;
}

const tokenOf = ({ headers }: ReceivedRequest) => String(headers.authorization).split(' ')[1];

/** What the emulator knows of an account: its logins, and which tokens it has accepted. The rules are those of docs/token.md. */
class AccountHistory {
	readonly logins: readonly ReceivedRequest[];

	/** The logins that gave a token. */
	private readonly exchanges: readonly ReceivedRequest[];

	/** For sites. */
	private readonly requests: readonly ReceivedRequest[];

	constructor(
		private readonly plan: FaultPlan,
		private readonly all: readonly ReceivedRequest[],
	) {
		this.logins = all.filter(({ route }) => route === 'token');
		this.exchanges = this.logins.filter((login) => loginReply(login).kind === 'good');
		this.requests = all.filter(({ route }) => route === 'site');
	}

	/** Whether a message is that of a failed login which was remembered at some time between these. */
	explains(message: string, from: number, until: number): boolean {
		return this.logins.some((login, index) => {
			const next = this.logins[index + 1];
			const forgottenAt = this.answeredAt(login) + this.pauseMs(login);
			const isRemembered = login.at <= until && forgottenAt >= from;
			const isLastTry = !next || next.at >= forgottenAt;
			return isRemembered && isLastTry && loginReply(login).sentence?.test(message);
		});
	}

	/** Whether another token would be of no use for a request that was rejected. */
	mayStand(rejected: ReceivedRequest, replies: readonly Reply[]): boolean {
		const TOKENS_OF_A_TRY = 4;
		const lastReplies = replies.slice(-TOKENS_OF_A_TRY).filter(({ kind }) => kind === 'rejected');
		if (lastReplies.length === TOKENS_OF_A_TRY) return true;
		const earlier = this.requests
			.slice(0, this.requests.indexOf(rejected))
			.filter((request) => siteOf(request) === siteOf(rejected));
		const since = earlier.slice(earlier.findLastIndex(({ status }) => status === 200) + 1);
		const isRepeated = since.some(
			(request) => isRejection(request) && tokenOf(request) !== tokenOf(rejected),
		);
		const now = this.answeredAt(rejected);
		// Time stands still during requests: a login of the same time may have come before the rejection or after it.
		const isFruitless = [this.all, this.all.slice(0, this.all.indexOf(rejected))].some((seen) =>
			this.isFruitless(now, false, seen),
		);
		return isRepeated || this.issuedBefore(now).length >= 4 || isFruitless;
	}

	needlessLogins(): string[] {
		const faults: string[] = [];
		let tries = 1;
		for (const [index, login] of this.logins.slice(1).entries()) {
			const before = this.logins[index] as ReceivedRequest;
			const pauseMs = login.at - this.answeredAt(before);
			const { kind, waitSeconds } = loginReply(before);
			const isNextTry = kind === 'retryable' && pauseMs < 5000;
			tries = isNextTry ? tries + 1 : 1;
			if (tries > 4) faults.push('a fifth try of a login');
			if (isNextTry ? pauseMs < waitSeconds * 1000 : pauseMs < this.pauseMs(before)) {
				faults.push(`a login ${pauseMs} ms after one that was ${kind} (${before.status})`);
			}
			if (kind === 'good') faults.push(...this.faultsOfExchange(before, login));
		}
		return faults;
	}

	/** Why a token was not due to be replaced. */
	private faultsOfExchange(before: ReceivedRequest, login: ReceivedRequest): string[] {
		const { lifetimeSeconds } = this.plan.tokens;
		const marginMs = Math.min(10_000, lifetimeSeconds * 100);
		if (login.at >= before.at + lifetimeSeconds * 1000 - marginMs) return [];
		const isRejected = this.requests.some(
			(request) =>
				isRejection(request) && tokenOf(request) === before.issued && request.at <= login.at,
		);
		if (!isRejected) return ['a login although the token was accepted'];
		const earlier = this.logins.slice(0, this.logins.indexOf(login));
		const recent = this.issuedBefore(login.at).filter((other) => earlier.includes(other));
		if (recent.length >= 4) return ['a fifth login in 30 seconds'];
		const isFruitless = this.isFruitless(login.at, true);
		return isFruitless && login.at - this.answeredAt(before) < 30_000
			? ['a third token in a row although none was accepted']
			: [];
	}

	/** Tokens that were issued in the 30 seconds before. */
	private issuedBefore(now: number): ReceivedRequest[] {
		return this.exchanges.filter((login) => {
			const agoMs = now - this.answeredAt(login);
			return agoMs >= 0 && agoMs < 30_000;
		});
	}

	/**
	 * Whether neither of the last two tokens was accepted.
	 *
	 * @param isCertain counts what the node cannot have seen before it gave the token up.
	 */
	private isFruitless(now: number, isCertain: boolean, seen = this.all): boolean {
		const isBefore = ({ at }: ReceivedRequest) => (isCertain ? at < now : at <= now);
		const last = this.exchanges
			.filter((login) => isBefore(login) && seen.includes(login))
			.slice(-2);
		const isAccepted = ({ issued }: ReceivedRequest) => {
			const uses = this.requests.filter((request) => tokenOf(request) === issued);
			const givenUpAt = isCertain ? Infinity : (uses.find(isRejection)?.at ?? Infinity);
			return uses.some(
				({ status, at, isCutOff }) =>
					status === 200 && at <= now && at < givenUpAt && (isCertain || !isCutOff),
			);
		};
		return last.length === 2 && !last.some(isAccepted);
	}

	private answeredAt({ at }: ReceivedRequest): number {
		return at + this.plan.latencyMs;
	}

	/** How long a failed login is not repeated, but for the tries that belong together. */
	private pauseMs(login: ReceivedRequest): number {
		const { kind, waitSeconds } = loginReply(login);
		if (kind === 'good') return 0;
		if (kind === 'refused') return refusalMs(login);
		if ([400, 401, 403].includes(login.status ?? 0)) return 30_000;
		return Math.max(5, waitSeconds) * 1000;
	}
}

function isRejection({ status }: ReceivedRequest): boolean {
	return status === 401 || status === 403;
}
