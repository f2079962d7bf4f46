import type { INodeProperties } from 'n8n-workflow';
import { VALUE_FAULTS } from '../../../texts/faults';
import { FIELD_FAULTS } from '../../../texts/fieldFaults';
import { ALL_SITES } from '../../../texts/messages';
import type { SiteDirectory } from '../sites/directory';
import type { NamedSite } from '../sites/finder';
import { checkTypedSites, findSites, type Found } from '../sites/typedSites';
import { field, type Field, type FieldContext, type FieldReader, type SiteField } from './field';

const BY_ID = 'byId';
const FROM_LIST = 'fromList';
/** The value of {@link choice} that means all sites. */
export const ALL = 'all';

/** Whether all sites are meant, or which other field names the sites. */
const choice = field<typeof ALL | typeof BY_ID | typeof FROM_LIST>(
	{
		displayName: 'Sites',
		name: 'sites',
		type: 'options',
		noDataExpression: true,
		options: [
			{
				name: ALL_SITES,
				value: ALL,
				description: 'Every site that the credential knows',
			},
			{
				name: 'By ID',
				value: BY_ID,
				description: 'The sites with the IDs that you enter',
			},
			{
				name: 'From List',
				value: FROM_LIST,
				description: 'Some of the sites that the credential knows',
			},
		],
		default: ALL,
		builderHint: {
			propertyHint:
				"'all' reads every site that the credential knows, once for all input items, and ignores 'siteIds': to use these, set 'byId'",
		},
	},
	(typed) =>
		typed === ALL || typed === BY_ID || typed === FROM_LIST
			? { value: typed }
			: FIELD_FAULTS.unknownChoice(typed),
	// An agent names the sites that it is asked about.
	BY_ID,
);

const allSites: SiteField<unknown, NamedSite[]> = {
	...choice,
	async lookUp(_typed, directory) {
		const all = await directory.all();
		return all.value?.length === 0 ? FIELD_FAULTS.noKnownSites() : all;
	},
};

/** Whether {@link choice} is all sites, even if none is known. It is the same for all input items. */
export const isAllSites: Field<boolean> = {
	...choice,
	check: (typed) => ({ value: typed === ALL }),
};

const siteIds = severalSites(
	shownFor(BY_ID, {
		displayName: 'Site IDs',
		name: 'siteIds',
		type: 'string',
		typeOptions: { rows: 3 },
		required: true,
		default: '',
		placeholder: 'e.g. 1001, 1002, 1003',
		description:
			'The IDs or the known names of the sites, separated by commas or line breaks. An expression may also return a list.',
	}),
);

const chosenSites = severalSites(
	shownFor(FROM_LIST, {
		displayName: 'Site Names or IDs',
		name: 'chosenSites',
		type: 'multiOptions',
		typeOptions: { loadOptionsMethod: 'listKnownSites' },
		required: true,
		default: [],
		description:
			'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
	}),
);

/** Several sites: entered by ID, chosen from the known ones, or all of these. */
export const sitesFields: ReadonlyArray<Field<unknown>> = [choice, siteIds, chosenSites];

/** The sites that {@link sitesFields} name, in their order, repetitions included. */
export async function findChosenSites({ read, find }: FieldReader): Promise<NamedSite[]> {
	const chosen = read(choice);
	if (chosen === BY_ID) return await find(siteIds);
	return await find(chosen === FROM_LIST ? chosenSites : allSites);
}

function shownFor(value: string, property: INodeProperties): INodeProperties {
	return { ...property, displayOptions: { show: { sites: [value] } } };
}

function severalSites(property: INodeProperties): SiteField<unknown, NamedSite[]> {
	return {
		...field(property, checkTypedSites),
		lookUp: lookUpSeveral,
	};
}

async function lookUpSeveral(
	typed: unknown,
	directory: SiteDirectory,
	{ isTool }: FieldContext,
): Promise<Found<NamedSite[]>> {
	const found = await findSites(typed, directory, isTool);
	const isNothingChosen = found.fault === VALUE_FAULTS.empty().fault && Array.isArray(typed);
	return isNothingChosen && directory.isEmpty ? FIELD_FAULTS.noKnownSites() : found;
}
