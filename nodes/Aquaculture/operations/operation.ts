import type { IDataObject, INodePropertyOptions } from 'n8n-workflow';
import type { Field, NodeParameters } from '../fields/field';
import type { KnownSites } from '../input/knownSites';
import type { ServiceDocument, CheckedAnswer } from '../service/answer';
import type { SiteRef, RawSite } from '../service/site';
import type { FieldSchema } from '../service/siteSchema';

/** An operation of the node: its panel, its requests, and its output. */
export interface Operation {
	resource: 'site' | 'unit';
	/** Its entry in the list of operations. */
	option: Required<Pick<INodePropertyOptions, 'name' | 'action' | 'description'>>;
	/** Its part of the panel, without the fields that all operations share. */
	panel: ReadonlyArray<Field<unknown>>;
	/** Describes an output item: the editor offers its fields before the first execution. Only the build calls this. */
	outputSchema(): Promise<Record<string, FieldSchema>>;
	/** Whether it takes several sites, so that 'All Sites' can be chosen. */
	takesManySites: boolean;
	/** Returns the requests of one input item, in the order of the output. @throws NodeOperationError that names field and item. */
	requests(parameters: NodeParameters, known: KnownSites): SiteRequest[];
	/** Returns the part of the input item to repeat in its output, before the site. @throws as `requests`. */
	repeatedInput?(parameters: NodeParameters, input: IDataObject): IDataObject;
}

/** A request for a site, and how its answer becomes items. */
export interface SiteRequest extends ServiceDocument<RawSite> {
	site: SiteRef;
	/** The sections of the site that it asks for, which the service sends only on request. */
	expectedSections: readonly string[];
	/** Whether a row of the output is a site or a unit; absent if the output is the site as sent. */
	rowType?: 'site' | 'unit';
	/** Returns the JSON of the output items. It may change the answer, which no other item shares. */
	toOutput(answer: CheckedAnswer<RawSite>): IDataObject[];
}
