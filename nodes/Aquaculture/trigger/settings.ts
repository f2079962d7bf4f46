import type { INodeProperties, IPollFunctions } from 'n8n-workflow';
import { VALUE_FAULTS } from '../../../texts/faults';
import { MINUTE_MS, SECOND_MS } from '../../../texts/duration';
import { checkChoices, checkSwitch } from '../fields/checks';
import { dataVersion } from '../fields/dataVersion';
import { field, panelOf, type Field } from '../fields/field';
import { additionalIncludes } from '../fields/includes';
import type { Parameters, ParameterSource } from '../fields/parameters';
import { limitOptions, type LimitOptions } from '../fields/limitOptions';
import { findChosenSites, isAllSites, sitesFields } from '../fields/sites';
import { CHANGE_KINDS } from './changeKinds';
import { ANY_CHANGE, type Choice, type Watch } from './watch';

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
				name: 'Biomass Limit Changed',
				value: 'biomassLimitChanged',
				description: 'The site has another maximum total biomass',
			},
			{
				name: 'Licence Changed',
				value: 'licenceChanged',
				description: 'The site has another licence',
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
		return checked.value?.length === 0 ? VALUE_FAULTS.empty() : checked;
	},
);

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
	emitCurrentState,
	additionalIncludes,
	dataVersion,
	...pollOptions.fields,
];

export const properties: INodeProperties[] = panelOf(FIELDS);

/** What a trigger is set to. */
export interface Settings {
	/** Each once. */
	siteIds: number[];
	/** Whether they are all known sites. */
	watchesAll: boolean;
	watch: Watch;
	emitsCurrentState: boolean;
	/** Undefined if the credential's version is to be used. */
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
 * @throws NodeOperationError that names the field that cannot be used; NodeApiError if the service's list of sites is needed
 *   and cannot be read.
 */
export async function readSettings(parameters: Parameters): Promise<Settings> {
	const sites = await findChosenSites(parameters.of());
	const kinds = parameters.read(changes);
	return {
		siteIds: [...new Set(sites.map(({ siteId }) => siteId))],
		watchesAll: parameters.read(isAllSites),
		watch: {
			kinds: kinds.includes(ANY_CHANGE) ? [ANY_CHANGE] : kinds,
			additionalIncludes: parameters.read(additionalIncludes),
		},
		emitsCurrentState: parameters.read(emitCurrentState),
		dataVersion: parameters.read(dataVersion),
		limits: readLimits(parameters),
	};
}
