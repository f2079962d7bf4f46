import type { IDataObject, INodePropertyOptions } from 'n8n-workflow';
import type { NamedSite, Site } from '../service/site';
import type { ZodMiniType } from '../service/zod';
import type { Field } from '../fields/field';
import type { Answer } from '../service/response';
import type { DocumentRequest } from '../requests/request';

/** A site that an input item asks for. */
export interface SiteRequest extends DocumentRequest<Site> {
	site: NamedSite;
	/** The fields that are sent only because they are asked for. */
	parts: readonly string[];
	/** The JSON of the output items that the answer becomes. No other item shares the answer. */
	toOutput(answer: Answer<Site>): IDataObject[];
}

/** The fields of one input item. */
export interface ItemFields {
	/** The JSON of the item. */
	input: IDataObject;
	/** @throws NodeOperationError that names the field and the item. */
	read<T>(field: Field<T>): T;
	/** The site that the item names. @throws as `read`. */
	site(): NamedSite;
	/** The sites that the item names, in their order, repetitions included. @throws as `read`. */
	sites(): NamedSite[];
}

/** An operation of the node: its panel, what it asks the service for, and what it returns. */
export interface Operation {
	/** Its entry in the list of operations. */
	option: Required<Pick<INodePropertyOptions, 'name' | 'action' | 'description'>>;
	/** The fields of its panel beside those that every operation has. */
	fields: ReadonlyArray<Field<unknown>>;
	/** The fields of its default output, which the editor offers before the first run. Only the build asks for them. */
	outputFields(): Promise<Record<string, ZodMiniType>>;
	/** Whether it names several sites, and so all of them by one choice. */
	isOfSeveral: boolean;
	/** What an item asks for, in the order of the output. */
	requests(fields: ItemFields): SiteRequest[];
}
