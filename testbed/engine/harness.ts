import type {
	ExecutionError,
	ICredentialDataDecryptedObject,
	IDataObject,
	INode,
	INodeExecutionData,
	NodeExecutionHint,
} from 'n8n-workflow';
import type { Fault, FaultRule } from '../../emulator/faults';
import { Emulator, type EmulatorSettings } from '../../emulator/server';
import { credentialRef, NODE_TYPE, step, workflow, type NewWorkflow } from '../workflows';
import { Engine, type RunOptions } from './engine';

export const NODE = 'Aquaculture';

/** What the node returned. */
export interface Output {
	/** The first output: results, and with "continueRegularOutput" error items. */
	items: INodeExecutionData[];
	/** The error output, which "continueErrorOutput" adds. */
	errorItems: INodeExecutionData[];
	hints: NodeExecutionHint[];
	/** The error that stopped the execution. */
	error: (ExecutionError & { httpCode?: string | null }) | undefined;
	status: string;
}

export interface NodeSettings extends Omit<RunOptions, 'items'> {
	input?: IDataObject[];
	onError?: NonNullable<INode['onError']>;
	/** The package's own node by default. */
	type?: string;
	credentialId?: string;
}

export function buildWorkflow(
	parameters: IDataObject,
	{ onError, type = NODE_TYPE, credentialId = 'account' }: NodeSettings = {},
): NewWorkflow {
	const withDefaults = { operation: 'getSite', siteId: '1001', sites: 'byId', ...parameters };
	const credentials = credentialRef(credentialId);
	const node = step(NODE, type, withDefaults, { credentials, ...(onError && { onError }) });
	return workflow('Test', [step('Start', 'manualTrigger'), node]);
}

/** Makes a request of each of {@link distinctItems}; the node reads a site once for all items that ask for the same data. */
export const DISTINCT_REQUESTS: IDataObject = {
	options: { additionalIncludes: '={{ $json.part }}' },
};

export function distinctItems(count: number): IDataObject[] {
	return Array.from({ length: count }, (_, index) => ({ part: `part${index}` }));
}

interface Failing extends Pick<FaultRule, 'siteId' | 'times'> {
	/** In seconds. */
	retryAfter?: number;
}

/** @param retryAfter in seconds. */
export function statusFault(status: number, retryAfter?: number): Fault {
	const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
	return { kind: 'status', status, headers };
}

let accountCount = 0;

/** n8n's engine with the built package, and an emulator that it reads from. */
export class Harness {
	engine!: Engine;

	emulator!: Emulator;

	async start(settings: Partial<EmulatorSettings> = {}): Promise<this> {
		this.engine = await Engine.load();
		this.emulator = await new Emulator(settings).start();
		this.setCredential();
		return this;
	}

	async stop(): Promise<void> {
		await this.emulator.stop();
	}

	/** Stores a new credential without a token, for an account that the package has never seen, with these changes. */
	setCredential(fields: ICredentialDataDecryptedObject = {}, id = 'account') {
		accountCount += 1;
		const account = { username: `staff-${accountCount}`, password: `Laks & ørret ${accountCount}` };
		const { baseUrl, settings } = this.emulator;
		settings.accounts = { ...settings.accounts, [account.username]: account.password };
		this.engine.credentials.stored.set(id, {
			baseUrl,
			...account,
			requestsPerMinute: 10_000,
			...fields,
		});
		return account;
	}

	get credential(): ICredentialDataDecryptedObject {
		return this.engine.credentials.stored.get('account') ?? {};
	}

	/** Lets the service answer site requests with a status: by default all of them. */
	failSites(status: number, { retryAfter, ...which }: Failing = {}): void {
		this.emulator.fail({ route: 'site', ...which, fault: statusFault(status, retryAfter) });
	}

	/** Lets the service answer logins with a status: by default all of them. */
	failLogins(status: number, { retryAfter, ...which }: Omit<Failing, 'siteId'> = {}): void {
		this.emulator.fail({ route: 'token', ...which, fault: statusFault(status, retryAfter) });
	}

	/** Lets the service answer site requests with this body: by default all of them. */
	sendBody(body: string, which: Omit<Failing, 'retryAfter'> = {}): void {
		this.emulator.fail({ route: 'site', ...which, fault: { kind: 'body', body } });
	}

	/** Runs Get Many Sites for these sites. */
	async getMany(
		siteIds: readonly number[],
		settings: NodeSettings = {},
		parameters: IDataObject = {},
	): Promise<Output> {
		const sites = { operation: 'getManySites', siteIds: siteIds.join() };
		return await this.run({ ...sites, ...parameters }, settings);
	}

	async run(parameters: IDataObject = {}, settings: NodeSettings = {}): Promise<Output> {
		const { input = [{}], onStart } = settings;
		const run = await this.engine.run(buildWorkflow(parameters, settings), {
			items: input.map((json) => ({ json })),
			...(onStart && { onStart }),
		});
		const { runData, error } = run.data.resultData;
		const main = runData[NODE]?.[0]?.data?.main ?? [];
		return {
			items: main[0] ?? [],
			errorItems: main[1] ?? [],
			hints: runData[NODE]?.[0]?.hints ?? [],
			error: error as Output['error'],
			status: run.status,
		};
	}
}

/** Returns the site ID or error of each item, and the error that stopped the execution. */
export function sitesIn({ items, error }: Output): unknown[] {
	const thrown = error && `${error.message}\n${error.description}`;
	return [...items.map(({ json }) => json.error ?? json.siteId), ...(thrown ? [thrown] : [])];
}

/** Expects that every execution returned site 1001 for each of its items. */
export function expectSuccess(...outputs: readonly Output[]): void {
	const found = outputs.map((output) => [...new Set(sitesIn(output))]);
	expect(found).toEqual(outputs.map(() => [1001]));
}

/** Expects that this many sites were read. */
export function expectRead(output: Output, count: number): void {
	const failures = sitesIn(output).filter((site) => typeof site !== 'number');
	const read = output.items.length - failures.length;
	if (read === count) return;
	throw new Error(`${read} sites were read, not ${count}:\n${[...new Set(failures)].join('\n')}`);
}

/** Starts a harness for each test of a block: a request that one test gives up may still arrive during the next. */
export function useHarness(settings: Partial<EmulatorSettings> = {}): Harness {
	const harness = new Harness();
	beforeEach(async () => {
		await harness.start(settings);
		harness.engine.log.length = 0;
	});
	afterEach(async () => await harness.stop());
	return harness;
}
