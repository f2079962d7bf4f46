import type { IDataObject, INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import type { ZodMiniObject } from '../../../api/zod';
import type { Parameters } from '../parameters/parameters';
import type { Answer, DocumentRequest } from '../transport/request';

/** A document that an input item asks for. */
export interface ItemRequest<T = unknown> extends DocumentRequest<T> {
	/** The JSON of the output items that the answer becomes. The answer is theirs alone. */
	toOutput(answer: Answer<T>): IDataObject[];
}

/** What the node can do, one object an operation. */
export interface Operation<T = unknown> {
	/** How the operation is offered; its key in the registry becomes its value. */
	option: Required<Pick<INodePropertyOptions, 'name' | 'action' | 'description'>>;
	/** The fields that the panel shows for it. */
	fields: INodeProperties[];
	/** The shape of its default output, by which the editor offers the fields before the first run. */
	outputSchema: ZodMiniObject;
	/**
	 * Reads and checks the parameters of an item. It sends nothing.
	 *
	 * @returns what to read, in the order of the output.
	 * @throws NodeOperationError that names the field and the item.
	 */
	prepare(parameters: Parameters, itemIndex: number): Array<ItemRequest<T>>;
}
