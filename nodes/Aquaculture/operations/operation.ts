import type { IDataObject } from 'n8n-workflow';
import type { ZodMiniObject } from '../../../api/zod';
import type { Parameters } from '../fields/parameters';
import type { Answer, DocumentRequest } from '../transport/request';

/** A document that an input item asks for. */
export interface ItemRequest<T = unknown> extends DocumentRequest<T> {
	/** The JSON of the output items that the answer becomes. The answer is theirs alone. */
	toOutput(answer: Answer<T>): IDataObject[];
}

/** How an operation is run, one object for each. */
export interface Operation<T = unknown> {
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
