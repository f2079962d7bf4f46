import type {
	ExecutionError,
	ICredentialDataDecryptedObject,
	IDataObject,
	INode,
	INodeExecutionData,
	NodeExecutionHint,
} from 'n8n-workflow';
import { Emulator, UNLIMITED, type EmulatorSettings } from '../../emulator/server';
import { credentialsOf, NODE_TYPE, step, workflow, type NewWorkflow } from '../workflows';
import { Engine, type RunOptions } from './engine';

export const NODE = 'Aquaculture';

/** What a run of the node has returned. */
export interface Output {
	/** The first output: results, and with "continueRegularOutput" error items. */
	items: INodeExecutionData[];
	/** The second output, which "continueErrorOutput" adds. */
	errorItems: INodeExecutionData[];
	/** What the output panel tells about the run. */
	hints: NodeExecutionHint[];
	/** What stopped the execution. */
	error: (ExecutionError & { httpCode?: string | null }) | undefined;
	status: string;
}

export interface NodeSettings extends Omit<RunOptions, 'items'> {
	/** The JSON of the trigger's items. */
	input?: IDataObject[];
	onError?: NonNullable<INode['onError']>;
	retryOnFail?: boolean;
	/** The type of the node, if it is not the package's own. */
	type?: string;
	credentialId?: string;
}

/** A workflow of a manual trigger and the node with these parameters. */
export function workflowWith(
	parameters: IDataObject,
	{ onError, retryOnFail, type = NODE_TYPE, credentialId = 'account' }: NodeSettings = {},
): NewWorkflow {
	return workflow('Test', [
		step('Start', 'manualTrigger'),
		step(
			NODE,
			type,
			{ operation: 'getSite', siteId: '1001', sites: 'byId', ...parameters },
			{
				credentials: credentialsOf(credentialId),
				...(onError && { onError }),
				...(retryOnFail && { retryOnFail, maxTries: 2, waitBetweenTries: 1 }),
			},
		),
	]);
}

/** Parameters with which each of the items of {@link itemsApart} is a request of its own, though all ask for one site. */
export const APART: IDataObject = { options: { additionalIncludes: '={{ $json.part }}' } };

export function itemsApart(count: number): IDataObject[] {
	return Array.from({ length: count }, (_, index) => ({ part: `part${index}` }));
}

export interface Account {
	username: string;
	password: string;
}

let accountCount = 0;

/** The engine with the built package and an emulator side by side. */
export class Rig {
	private constructor(
		readonly engine: Engine,
		readonly emulator: Emulator,
	) {}

	/** @param settings of the emulator, which has no limit of requests unless they name one. */
	static async start(settings: Partial<EmulatorSettings> = {}): Promise<Rig> {
		const rig = new Rig(await Engine.load(), await Emulator.start({ ...UNLIMITED, ...settings }));
		rig.setCredential();
		return rig;
	}

	async stop(): Promise<void> {
		await this.emulator.stop();
	}

	/**
	 * Stores a new credential, without a token, for an account that the package has never seen.
	 *
	 * @param fields what is to be different from a credential that works.
	 */
	setCredential(fields: ICredentialDataDecryptedObject = {}, id = 'account'): Account {
		accountCount += 1;
		const account = { username: `staff-${accountCount}`, password: `Laks & ørret ${accountCount}` };
		const { baseUrl, settings } = this.emulator;
		settings.accounts = { ...settings.accounts, [account.username]: account.password };
		this.engine.credentials.stored.set(id, {
			baseUrl,
			...account,
			requestsPerMinute: 0,
			...fields,
		});
		return account;
	}

	get credential(): ICredentialDataDecryptedObject {
		return this.engine.credentials.stored.get('account') ?? {};
	}

	/** Runs the node with these items as its input. */
	async run(parameters: IDataObject = {}, settings: NodeSettings = {}): Promise<Output> {
		const { input = [{}], onStart } = settings;
		const run = await this.engine.run(workflowWith(parameters, settings), {
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

/** Whether every execution has returned site 1001 for each of its items. */
export function allRead(outputs: readonly Output[]): boolean {
	return outputs.every(
		({ error, items }) =>
			!error && items.length > 0 && items.every(({ json }) => json.siteId === 1001),
	);
}

/** Gives each test of a block a rig of its own, since a request that one test gives up may still arrive in the next. */
export function rigPerTest(
	assign: (rig: Rig) => void,
	settings: Partial<EmulatorSettings> = {},
): void {
	let rig: Rig;
	beforeEach(async () => {
		rig = await Rig.start(settings);
		rig.engine.log.length = 0;
		assign(rig);
	});
	afterEach(async () => await rig.stop());
}
