import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { dataVersionOption } from '../fields/dataVersion';
import { additionalIncludesOption, includeFields, includeSiteInfoField } from '../fields/includes';
import { optionsField } from '../fields/options';
import { responseDetailsOption } from '../fields/responseDetails';
import { simplifyField } from '../fields/simplify';
import { siteIdField } from '../fields/siteId';
import { siteIdsField } from '../fields/siteIds';

/** What the panel offers for an operation. */
interface Offer {
	option: Required<Pick<INodePropertyOptions, 'name' | 'action' | 'description'>>;
	/** The fields that it shows once the operation is chosen. */
	fields: INodeProperties[];
}

/** The fields of an operation that puts out one item for each site. */
const wholeSiteFields = [
	...includeFields,
	simplifyField,
	optionsField(additionalIncludesOption, dataVersionOption, responseDetailsOption),
];

/** All operations that are offered, by the value that the panel stores for them. */
const offers = {
	getManySites: {
		option: {
			name: 'Get Many Sites',
			action: 'Get many sites by ID',
			description:
				'Read several sites of fish farms by their site IDs, one item for each: the name and, if you like, the info (position, licence, biomass limit) and the units (pens, tanks)',
		},
		fields: [siteIdsField, ...wholeSiteFields],
	},
	getSite: {
		option: {
			name: 'Get Site',
			action: 'Get site by ID',
			description:
				'Read one site of a fish farm by its site ID: its name and, if you like, its info (position, licence, biomass limit) and its units (pens, tanks)',
		},
		fields: [siteIdField, ...wholeSiteFields],
	},
	getUnits: {
		option: {
			name: 'Get Units',
			action: 'Get units of sites by ID',
			description:
				'Read the units (pens, tanks) of one or more sites by their site IDs, one item for each unit: its site, its name and its position',
		},
		fields: [siteIdsField, includeSiteInfoField, optionsField(dataVersionOption)],
	},
} satisfies Record<string, Offer>;

export type OperationName = keyof typeof offers;

const operationField: INodeProperties = {
	displayName: 'Operation',
	name: 'operation',
	type: 'options',
	noDataExpression: true,
	options: Object.entries(offers).map(([value, { option }]) => ({ ...option, value })),
	default: 'getSite',
};

/** The node's properties: the choice of the operation, then the fields of each. */
export const properties: INodeProperties[] = [
	operationField,
	...Object.entries(offers).flatMap(([value, { fields }]) =>
		fields.map((field) => ({ ...field, displayOptions: { show: { operation: [value] } } })),
	),
];
