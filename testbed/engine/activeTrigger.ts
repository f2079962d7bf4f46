import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { credentialRef, step, TRIGGER_TYPE } from '../workflows';
import type { Harness } from './harness';

export interface PollOutcome {
	/** The items of the execution that n8n starts; undefined if it starts none. */
	items: IDataObject[] | undefined;
	/** Of the failed executions that n8n adds. */
	errors: Array<Error & { description?: string | null; httpCode?: string | null }>;
}

interface TriggerSettings {
	/** The static data of the workflow. */
	stored?: IDataObject;
	/** Polls like n8n 2's scheduler, which loads the workflow for each poll and sets a budget (2.40). */
	budgetMs?: number;
	/** With {@link budgetMs}: stores the memory after each poll; after an activation only if that starts an execution (2.40). */
	durableCursors?: boolean;
	/** Unique in a workflow. */
	name?: string;
	workflowId?: string;
}

/**
 * Runs a workflow with the trigger in n8n's engine. Like n8n, it stores static data at the end of an activation and when a
 * poll starts an execution, also one without items (1.123 and 2.40).
 */
export class ActiveTrigger {
	/** The static data in n8n's database, or the durable cursor. */
	stored: IDataObject;

	private active: ReturnType<Harness['engine']['pollContext']> & { cursor?: IDataObject };

	/** Reported since the last poll ended: polls may overlap. */
	private readonly errors: PollOutcome['errors'] = [];

	constructor(
		private readonly harness: Harness,
		private parameters: IDataObject,
		private readonly settings: TriggerSettings = {},
	) {
		this.stored = settings.stored ?? {};
		this.active = this.load('trigger');
	}

	/** Polls once. @throws what keeps n8n from activating the workflow. */
	async activate(parameters: IDataObject = this.parameters): Promise<PollOutcome> {
		this.parameters = parameters;
		this.active = this.load('trigger');
		const outcome = await this.pollOnce(true);
		this.save();
		return outcome;
	}

	async poll(): Promise<PollOutcome> {
		const { budgetMs } = this.settings;
		if (budgetMs !== undefined) {
			this.active = this.load('trigger');
			this.active.context.getPollBudgetMs = () => budgetMs;
		}
		return await this.pollOnce(false);
	}

	async fetchTestEvent(): Promise<IDataObject[] | undefined> {
		return await this.call(this.load('manual').context);
	}

	private load(mode: 'trigger' | 'manual') {
		const { name = 'Aquaculture Trigger', workflowId: id } = this.settings;
		const parameters = { sites: 'byId', siteIds: '1001', ...this.parameters };
		const credentials = credentialRef('account');
		// In n8n 1.123, active triggers may share a node ID.
		const trigger = step(name, TRIGGER_TYPE, parameters, { credentials, id: 'shared' });
		const saved = { ...(id && { id }), staticData: structuredClone(this.stored) };
		const loaded = this.harness.engine.pollContext(trigger, mode, saved, (error) =>
			this.errors.push(error),
		);
		if (!this.settings.durableCursors) return loaded;
		const cursor = structuredClone(this.stored);
		loaded.context.getWorkflowStaticData = () => cursor;
		return { ...loaded, cursor };
	}

	private async pollOnce(isActivation: boolean): Promise<PollOutcome> {
		try {
			const items = await this.call(this.active.context);
			if (items) this.save();
			if (this.active.cursor && (items || !isActivation))
				this.stored = structuredClone(this.active.cursor);
			return { items, errors: this.errors.splice(0) };
		} catch (error) {
			if (isActivation) throw error;
			return { items: undefined, errors: [error as Error] };
		}
	}

	private async call(context: IPollFunctions): Promise<IDataObject[] | undefined> {
		const output = await this.harness.engine.triggerType.poll?.call(context);
		return output?.[0]?.map(({ json }) => json);
	}

	private save(): void {
		const { staticData } = this.active.workflow;
		if (staticData.__dataChanged !== true) return;
		this.stored = JSON.parse(JSON.stringify(staticData)) as IDataObject;
		staticData.__dataChanged = false;
	}
}
