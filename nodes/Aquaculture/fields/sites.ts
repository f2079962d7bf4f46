import type { INodeProperties } from 'n8n-workflow';
import type { CheckedField } from '../../../api/checkResult';
import { FIELD_FAULTS } from '../../../api/faults';
import { ALL_SITES } from '../../../shared/messages';
import { field, type Field, type FieldContext } from './field';
import type { KnownSiteIndex, NamedSite } from './knownSiteIndex';
import { findSites } from './siteLookup';

const BY_ID = 'byId';
const FROM_LIST = 'fromList';
const ALL = 'all';

/** All sites that are known, or which other field names the sites. */
const choice = field<
	Pick<KnownSiteIndex, 'sites' | 'linesLeftOut'> | typeof BY_ID | typeof FROM_LIST
>(
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
	(typed, { knownSites }) => {
		if (typed === BY_ID || typed === FROM_LIST) return { value: typed };
		if (typed !== ALL) return FIELD_FAULTS.unknownChoice(typed);
		const { sites, linesLeftOut } = knownSites;
		const isUnknown = sites.length === 0 || !knownSites.isWhole;
		return isUnknown ? FIELD_FAULTS.noKnownSites() : { value: { sites, linesLeftOut } };
	},
	// An agent names the sites that it is asked about.
	BY_ID,
);

/** Whether {@link choice} is all sites, even if none is known. It is the same for all input items. */
export const isAllSites: Field<boolean> = {
	...choice,
	check: (typed) => ({ value: typed === ALL }),
};

const siteIds = field(
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
	checkSites,
);

const chosenSites = field(
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
	(typed, context) => {
		const checked = checkSites(typed, context);
		const isEmpty = checked.fault === FIELD_FAULTS.empty().fault;
		const isNothingOffered = context.knownSites.sites.length === 0;
		return isEmpty && isNothingOffered ? FIELD_FAULTS.noKnownSites() : checked;
	},
);

/** Several sites: entered by ID, chosen from the known ones, or all of these. */
export const sitesFields: ReadonlyArray<Field<unknown>> = [choice, siteIds, chosenSites];

/** The sites that {@link sitesFields} name, in their order, repetitions included. */
export function readSites(read: <T>(field: Field<T>) => T): NamedSite[] {
	const chosen = read(choice);
	if (chosen === BY_ID) return read(siteIds);
	return chosen === FROM_LIST ? read(chosenSites) : chosen.sites;
}

/** The lines of 'Known Sites' whose sites are missing in {@link readSites}. */
export function readLinesLeftOut(read: <T>(field: Field<T>) => T): KnownSiteIndex['linesLeftOut'] {
	const chosen = read(choice);
	return typeof chosen === 'object' ? chosen.linesLeftOut : [];
}

function shownFor(value: string, property: INodeProperties): INodeProperties {
	return { ...property, displayOptions: { show: { sites: [value] } } };
}

function checkSites(typed: unknown, context: FieldContext): CheckedField<NamedSite[]> {
	const found = findSites(typed, context);
	if (found.fault !== undefined) return found;
	return { value: found.value.map((siteId) => context.knownSites.named(siteId)) };
}
