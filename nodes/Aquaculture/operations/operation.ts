import type { IDataObject, INodePropertyOptions } from 'n8n-workflow';
import type { Field } from '../fields/field';
import type { DocumentRequest } from '../requests/request';
import type { ServiceResponse } from '../service/response';
import type { NamedSite, SentSite } from '../service/site';
import type { ZodMiniType } from '../service/zod';

/** An operation of the node: its panel, its requests, and its output. */
export interface Operation {
	resource: 'site' | 'unit';
	/** Its entry in the list of operations. */
	option: Required<Pick<INodePropertyOptions, 'name' | 'action' | 'description'>>;
	/** Its fields in the panel, without those that all operations share. */
	fields: ReadonlyArray<Field<unknown>>;
	/** The fields that the editor offers before the first execution. Only the build calls this. */
	outputFields(): Promise<Record<string, ZodMiniType>>;
	/** Whether it reads several sites, so that 'All Sites' can be chosen. */
	readsManySites: boolean;
	/** Returns the requests of one input item, in the order of the output. */
	requests(fields: ItemFields): SiteRequest[];
	/** Returns the fields of the input item to repeat in its output, before those of the site. */
	inputFields?(fields: ItemFields): IDataObject;
}

/** The fields of one input item. Reading them throws a NodeOperationError that names the field and the item. */
export interface ItemFields {
	/** The JSON of the item. */
	itemJson: IDataObject;
	read<T>(field: Field<T>): T;
	site(): NamedSite;
	/** The sites that the fields name, in that order, repetitions included. */
	sites(): NamedSite[];
}

/** A request for a site, and how its answer becomes items. */
export interface SiteRequest extends DocumentRequest<SentSite> {
	site: NamedSite;
	/** The fields that the service sends only on request. */
	parts: readonly string[];
	/** What an item is a row of; absent if the item is the site as sent. */
	rowType?: 'site' | 'unit';
	/** Returns the JSON of the output items. It may change the answer, which no other item shares. */
	toOutput(answer: ServiceResponse<SentSite>): IDataObject[];
}
