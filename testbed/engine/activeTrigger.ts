import type { IDataObject, INode, IPollFunctions } from 'n8n-workflow';
import { credentialsOf, step, TRIGGER_TYPE } from '../workflows';
import type { Rig } from './rig';

/** What a poll has led to. */
export interface PollOutcome {
	/** The JSON of the items of the execution that n8n starts; undefined if it starts none. */
	items: IDataObject[] | undefined;
	/** The errors of the failed executions that n8n adds. */
	errors: Array<Error & { description?: string | null; httpCode?: string | null }>;
}

interface TriggerSettings {
	/** What the trigger remembers already. */
	stored?: IDataObject;
	/** How long n8n 2's scheduler waits for a poll, if it polls; it loads the workflow again each time (docs/architecture.md, n8n 18). */
	budgetMs?: number;
	/** The name of the node; no two of a workflow have the same. */
	name?: string;
	/** The ID of the workflow, if there are several. */
	workflowId?: string;
}

/**
 * A workflow with the trigger, active in n8n's engine. What the trigger remembers is stored when n8n stores it: at the end
 * of an activation, and when a poll has returned something (docs/architecture.md, n8n 19).
 */
export class ActiveTrigger {
	/** The workflow's static data in n8n's database. */
	stored: IDataObject;

	private active: ReturnType<Rig['engine']['pollContext']>;

	/** Those that n8n was given since a poll has ended: polls may overlap. */
	private readonly errors: PollOutcome['errors'] = [];

	constructor(
		private readonly rig: Rig,
		private parameters: IDataObject,
		private readonly settings: TriggerSettings = {},
	) {
		this.stored = settings.stored ?? {};
		this.active = this.load('trigger');
	}

	/** Activates the workflow, which polls once; an exception keeps n8n from activating it. */
	async activate(parameters: IDataObject = this.parameters): Promise<PollOutcome> {
		this.parameters = parameters;
		this.active = this.load('trigger');
		const outcome = await this.pollOnce(true);
		this.save();
		return outcome;
	}

	/** Polls as n8n does once the workflow is active. */
	async poll(): Promise<PollOutcome> {
		const { budgetMs } = this.settings;
		if (budgetMs !== undefined) {
			this.active = this.load('trigger');
			this.active.context.getPollBudgetMs = () => budgetMs;
			this.active.context.getActivationMode = () => 'update';
		}
		return await this.pollOnce(false);
	}

	/** What the editor shows for "Fetch Test Event". */
	async fetchTestEvent(): Promise<IDataObject[] | undefined> {
		return await this.call(this.load('manual').context);
	}

	private load(mode: 'trigger' | 'manual') {
		const parameters = { sites: 'byId', siteIds: '1001', ...this.parameters };
		const credentials = credentialsOf('account');
		const trigger = step(this.settings.name ?? 'Aquaculture Trigger', TRIGGER_TYPE, parameters, {
			credentials,
		});
		const node: INode = { ...trigger, position: [0, 0] };
		const { workflowId } = this.settings;
		const saved = {
			...(workflowId && { id: workflowId }),
			staticData: structuredClone(this.stored),
		};
		return this.rig.engine.pollContext(node, mode, saved, {
			__emit: () => {},
			__emitError: (error) => this.errors.push(error),
		});
	}

	private async pollOnce(isActivation: boolean): Promise<PollOutcome> {
		try {
			const items = await this.call(this.active.context);
			if (items) this.save();
			return { items, errors: this.errors.splice(0) };
		} catch (error) {
			if (isActivation) throw error;
			return { items: undefined, errors: [error as Error] };
		}
	}

	private async call(context: IPollFunctions): Promise<IDataObject[] | undefined> {
		const output = await this.rig.engine.triggerType.poll?.call(context);
		return output?.[0]?.map(({ json }) => json);
	}

	private save(): void {
		const { staticData } = this.active.workflow;
		if (staticData.__dataChanged !== true) return;
		this.stored = JSON.parse(JSON.stringify(staticData)) as IDataObject;
		staticData.__dataChanged = false;
	}
}
