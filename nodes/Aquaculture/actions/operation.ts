import type {
	IDataObject,
	IExecuteFunctions,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';
import type { Outcome, Transport } from '../transport/request';

/** The request of one input item, checked and ready to be sent; its answer is the JSON of the item's output. */
export type Call = (transport: Transport) => Promise<Outcome<IDataObject>>;

/** What the node can do, one object an operation. */
export interface Operation {
	/** How the operation is offered; its key in the registry becomes its value. */
	option: Required<Pick<INodePropertyOptions, 'name' | 'action' | 'description'>>;
	/** The fields that the panel shows for it. */
	fields: INodeProperties[];
	/**
	 * Reads and checks the parameters of an item. Nothing is sent before the parameters of all items have been read.
	 *
	 * @throws NodeOperationError that names the field and the item.
	 */
	prepare(context: IExecuteFunctions, itemIndex: number): Call;
}
