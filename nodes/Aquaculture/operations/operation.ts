import type { IDataObject, INodePropertyOptions } from 'n8n-workflow';
import type { ZodMiniType } from '../../../service/zod';
import type { Field, FieldReader } from '../fields/field';
import type { Answer } from '../requests/answer';
import type { DocumentRequest } from '../requests/request';

/** A document that an input item asks for. */
export interface ItemRequest<T = unknown> extends DocumentRequest<T> {
	/** Whether its items have other fields than those that the editor offers before the first run. */
	isUnlikeOffered?: boolean;
	/** The JSON of the output items that the answer becomes. No other item shares the answer. */
	toOutput(answer: Answer<T>): IDataObject[];
}

type Awaitable<T> = T | Promise<T>;

/** An operation of the node: its panel, what it asks the service for, and what it returns. */
export interface Operation<Contract = unknown, Document = unknown> {
	/** Its entry in the list of operations. */
	option: Required<Pick<INodePropertyOptions, 'name' | 'action' | 'description'>>;
	/** The fields of its panel beside those that every operation has. */
	fields: ReadonlyArray<Field<unknown>>;
	/** What its output items are, and the part of a document that holds them, if a document may have none. */
	items?: string;
	/** Imports the contract of its document, and zod with it: only when it is needed. */
	contract(): Promise<Contract>;
	/** The fields of its default output, which the editor offers before the first run. */
	outputFields(contract: Contract): Record<string, ZodMiniType>;
	/**
	 * The fields that identify the document in the error item of an input item whose parameters cannot be used: those of
	 * `id` of its requests, null if they are not known. It never throws.
	 */
	identify(reader: FieldReader): DocumentRequest<Document>['id'];
	/** Whether it reads all known sites: all input items ask for the same, so only the first one is read. It never throws. */
	readsOnce?(reader: FieldReader): boolean;
	/** What an item asks for, in the order of the output. It sends nothing but the request for the list of sites. */
	requests(reader: FieldReader, contract: Contract): Awaitable<Array<ItemRequest<Document>>>;
}
