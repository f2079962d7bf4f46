import type { INodeProperties, IPollFunctions } from 'n8n-workflow';
import { FIELD_FAULTS } from '../../../api/faults';
import { MINUTE_MS, SECOND_MS } from '../../../shared/duration';
import { checkChoices, checkSwitch } from '../fields/checks';
import { dataVersion } from '../fields/dataVersion';
import { field, panelOf, type Field } from '../fields/field';
import { additionalIncludes } from '../fields/includes';
import type { Parameters, ParameterSource } from '../fields/parameters';
import { limitOptions, type LimitOptions } from '../fields/limitOptions';
import { findChosenSites, isAllSites, sitesFields } from '../fields/sites';
import { ANY_CHANGE, CHANGE_KINDS, type Choice, type Watch } from './watch';

/** How long a poll takes at most. */
export const LONGEST_POLL_MS = 4 * MINUTE_MS;
/** The longest part of a poll that a site may take: one that does not answer must fail before the poll ends. */
export const LONGEST_SITE = 0.9;

const pollOptions = limitOptions({
	timeoutSeconds: 10,
	maxTimeSeconds: 25,
	longestSeconds: (LONGEST_SITE * LONGEST_POLL_MS) / SECOND_MS,
});

const changes = field<Choice[]>(
	{
		displayName: 'Trigger On',
		name: 'changes',
		type: 'multiOptions',
		required: true,
		options: [
			{
				name: 'Any Change',
				value: ANY_CHANGE,
				description: 'Any of the changes below',
			},
			{
				name: 'Other Site Field Changed',
				value: 'siteChanged',
				description: 'A field of the site itself that is neither its name nor part of its info',
			},
			{
				name: 'Other Unit Field Changed',
				value: 'unitChanged',
				description: 'A field of a unit that is neither its name nor its position',
			},
			{
				name: 'Site Info Changed',
				value: 'infoChanged',
				description:
					'A field of the info: position, type, code, licence, maximum total biomass or time zone',
			},
			{
				name: 'Site Renamed',
				value: 'siteRenamed',
				description: 'The site has another name',
			},
			{
				name: 'Unit Added',
				value: 'unitAdded',
				description: 'A unit was added to the site',
			},
			{
				name: 'Unit Moved',
				value: 'unitMoved',
				description: 'A unit has another position',
			},
			{
				name: 'Unit Removed',
				value: 'unitRemoved',
				description: 'A unit was removed from the site',
			},
			{
				name: 'Unit Renamed',
				value: 'unitRenamed',
				description: 'A unit has another name',
			},
		],
		default: [ANY_CHANGE],
	},
	(typed) => {
		const checked = checkChoices(typed, [ANY_CHANGE, ...CHANGE_KINDS]);
		return checked.value?.length === 0 ? FIELD_FAULTS.empty() : checked;
	},
);

/** The fields of the info, by the names that the panel and the items give them. */
export const INFO_FIELDS = [
	{ name: 'Code', value: 'code' },
	{ name: 'Latitude', value: 'latitude' },
	{ name: 'Licence', value: 'license' },
	{ name: 'Longitude', value: 'longitude' },
	{ name: 'Maximum Total Biomass', value: 'maxTotalBiomass' },
	{ name: 'Time Zone', value: 'timezone' },
	{ name: 'Type', value: 'type' },
];

const infoFields = field<string[]>(
	{
		displayName: 'Info Fields',
		name: 'infoFields',
		type: 'multiOptions',
		displayOptions: { show: { changes: ['infoChanged'] }, hide: { changes: [ANY_CHANGE] } },
		options: INFO_FIELDS,
		default: [],
		description: 'Which fields of the info to watch. Leave it empty to watch all of them.',
	},
	(typed) =>
		checkChoices(
			typed,
			INFO_FIELDS.map(({ value }) => value),
		),
);

const infoFieldsNotice: INodeProperties = {
	displayName:
		"'Any Change' includes all fields of the info. Remove it to choose some under 'Info Fields'.",
	name: 'infoFieldsNotice',
	type: 'notice',
	// n8n treats the values of one key as alternatives; a second key for the same field requires both.
	displayOptions: { show: { changes: ['infoChanged'], '/changes': [ANY_CHANGE] } },
	default: '',
};

const emitCurrentState = field(
	{
		displayName: 'Start with Current Values',
		name: 'emitCurrentState',
		type: 'boolean',
		default: false,
		description:
			'Whether to return the values of a site when it is read for the first time, one item for each value',
	},
	checkSwitch,
);

const FIELDS: ReadonlyArray<Field<unknown>> = [
	...sitesFields,
	changes,
	infoFields,
	emitCurrentState,
	additionalIncludes,
	dataVersion,
	...pollOptions.fields,
];

export const properties: INodeProperties[] = panelOf(FIELDS).flatMap((property) =>
	property === infoFields.property ? [property, infoFieldsNotice] : [property],
);

/** What a trigger is set to. */
export interface Settings {
	/** Each once. */
	siteIds: number[];
	/** Whether they are all known sites. */
	watchesAll: boolean;
	watch: Watch;
	emitsCurrentState: boolean;
	/** Undefined where the credential's version is to be used. */
	dataVersion: string | undefined;
	limits: LimitOptions;
}

/**
 * Evaluates all fields at once: n8n 2.40 releases what expressions need when another poll of the workflow ends, while this
 * one is under way. A field that cannot be evaluated fails when it is read.
 */
export function evaluateFields(context: IPollFunctions): ParameterSource {
	const values = new Map(
		FIELDS.map(({ path, fallback }) => [
			path,
			onceEvaluated(() => context.getNodeParameter(path, fallback)),
		]),
	);
	return {
		getNode: () => context.getNode(),
		getNodeParameter: (path, _itemIndex, fallback, options) =>
			options?.rawExpressions
				? context.getNodeParameter(path, fallback, options)
				: values.get(path)?.(),
	};
}

function onceEvaluated<T>(evaluate: () => T): () => T {
	try {
		const value = evaluate();
		return () => value;
	} catch {
		return evaluate;
	}
}

/** @throws NodeOperationError that names the option that cannot be used. */
export function readLimits(parameters: Parameters): LimitOptions {
	return pollOptions.read(parameters);
}

/**
 * Reads what the trigger is set to.
 *
 * @throws NodeOperationError that names the field that cannot be used; NodeApiError where the service's list of sites is needed
 *   and cannot be read.
 */
export async function readSettings(parameters: Parameters): Promise<Settings> {
	const sites = await findChosenSites(parameters.of());
	const kinds = parameters.read(changes);
	const listed = kinds.includes(ANY_CHANGE) ? [] : parameters.read(infoFields);
	return {
		siteIds: [...new Set(sites.map(({ siteId }) => siteId))],
		watchesAll: parameters.read(isAllSites),
		watch: {
			kinds: kinds.includes(ANY_CHANGE) ? [ANY_CHANGE] : kinds,
			infoFields: listed.length === 0 ? null : listed,
			additionalIncludes: parameters.read(additionalIncludes),
		},
		emitsCurrentState: parameters.read(emitCurrentState),
		dataVersion: parameters.read(dataVersion),
		limits: readLimits(parameters),
	};
}
