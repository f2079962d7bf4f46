import type { IDataObject, INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import type { Site } from '../../../api/site';
import type { Answer } from '../transport/request';
import type { SiteRequest } from '../transport/sites';
import type { Parameters } from '../parameters/parameters';

/** What an input item asks for. */
export interface Plan {
	/** The sites to read, in the order of the output. */
	requests: SiteRequest[];
	/** The JSON of the output items that the answer to one of the requests becomes. The answer is theirs alone. */
	toOutput(answer: Answer<Site>, request: SiteRequest): IDataObject[];
}

/** What the node can do, one object an operation. */
export interface Operation {
	/** How the operation is offered; its key in the registry becomes its value. */
	option: Required<Pick<INodePropertyOptions, 'name' | 'action' | 'description'>>;
	/** The fields that the panel shows for it. */
	fields: INodeProperties[];
	/**
	 * Reads and checks the parameters of an item. It sends nothing.
	 *
	 * @throws NodeOperationError that names the field and the item.
	 */
	prepare(parameters: Parameters, itemIndex: number): Plan;
}
