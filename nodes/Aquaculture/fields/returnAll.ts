import { OPTIONS } from '../../../texts/messages';
import type { NamedSite } from '../sites/finder';
import { checkCount, checkSwitch } from './checks';
import { field, type Field, type FieldReader } from './field';
import { ALL, findChosenSites, isAllSites, sitesFields } from './sites';

const MAX_LIMIT = 100_000;

const returnAll = field(
	{
		displayName: OPTIONS.returnAll,
		name: 'returnAll',
		type: 'boolean',
		displayOptions: { show: { sites: [ALL] } },
		default: true,
		description: 'Whether to return all results or only up to a given limit',
		hint: 'Turn it off while you build the workflow: at 100 requests a minute, 300 sites take over three minutes.',
	},
	checkSwitch,
);

const limit = field(
	{
		displayName: 'Limit',
		name: 'limit',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: MAX_LIMIT },
		displayOptions: { show: { sites: [ALL], returnAll: [false] } },
		default: 50,
		description: 'Max number of results to return',
		hint: 'How many sites to read, the first ones that the credential knows',
	},
	(typed) => checkCount(typed, MAX_LIMIT),
);

/** Several sites, and how many of all sites. */
export const limitedSitesFields: ReadonlyArray<Field<unknown>> = [...sitesFields, returnAll, limit];

/** The sites that {@link limitedSitesFields} name, in their order, repetitions included. */
export async function findLimitedSites(reader: FieldReader): Promise<NamedSite[]> {
	const { read } = reader;
	const isLimited = read(isAllSites) && !read(returnAll);
	const largest = isLimited ? read(limit) : undefined;
	return (await findChosenSites(reader)).slice(0, largest);
}
