import type { INodeProperties, IPollFunctions } from 'n8n-workflow';
import { checkChoice, checkChoices } from '../input/values';
import { INVALID_VALUE } from '../messages/invalid';
import {
	buildPanel,
	defineField,
	type Field,
	type NodeParameters,
	type ParameterSource,
} from '../fields/field';
import { createTimeoutOption } from '../fields/sharedOptions';
import { sitesChoice, sitesFields } from '../fields/whichSites';
import { MAX_POLL_MS, MAX_SITE_SHARE } from './pollLock';
import { SECOND_MS } from '../utils/time';

/* What can people set? First the panel, then what a poll gets of it. */

/** The kinds of changes that have a choice of their own: the value of `change` in the output, and name and description in the panel. */
const CHOSEN_KINDS = [
	['biomassLimitChanged', 'Biomass Limit Changed', 'The site has another biomass limit'],
	['licenseChanged', 'Licence Changed', 'The site has another licence'],
	['infoChanged', 'Site Info Changed', 'Any field of the info, licence and biomass limit included'],
	['siteRenamed', 'Site Renamed', 'The site has another name'],
	['unitAdded', 'Unit Added', 'A unit was added to the site'],
	['unitMoved', 'Unit Moved', 'A unit has another position'],
	['unitRemoved', 'Unit Removed', 'A unit was removed from the site'],
	['unitRenamed', 'Unit Renamed', 'A unit has another name'],
] as const;

/** Any other field of a site or of a unit: the service may add some. */
const OTHER_KINDS = ['siteChanged', 'unitChanged'] as const;

export type ChangeKind = (typeof CHOSEN_KINDS)[number][0] | (typeof OTHER_KINDS)[number];

export const CHANGE_KINDS: readonly ChangeKind[] = [
	...CHOSEN_KINDS.map(([kind]) => kind),
	...OTHER_KINDS,
];

const ANY_CHANGE = 'any';

/** The choices under 'Trigger On'. */
export const CHANGE_CHOICES = [
	{
		name: 'Any Change',
		value: ANY_CHANGE,
		description: 'Those below, and any other field of a site or unit',
	},
	...CHOSEN_KINDS.map(([value, name, description]) => ({ name, value, description })),
];

const changes = defineField(
	{
		// By this label, n8n finds the field of whose choices it makes entries such as "On licence changed".
		displayName: 'Trigger On',
		name: 'changes',
		type: 'multiOptions',
		required: true,
		options: CHANGE_CHOICES,
		default: [ANY_CHANGE],
		description:
			'Which changes start the workflow. Each change becomes one item with the old and the new value.',
	},
	(input) => {
		const checked = checkChoices(
			input,
			CHANGE_CHOICES.map(({ value }) => value),
		);
		return checked.value?.length === 0 ? { failure: INVALID_VALUE.empty() } : checked;
	},
);

const statusReport = defineField<'off' | 'daily' | 'weekly'>(
	{
		displayName: 'Status Report',
		name: 'statusReport',
		type: 'options',
		noDataExpression: true,
		options: [
			{ name: 'Off', value: 'off', description: 'The workflow starts for changes only' },
			{ name: 'Daily', value: 'daily', description: 'With the first poll after 6 am' },
			{ name: 'Weekly', value: 'weekly', description: 'With the first poll after Monday, 6 am' },
		],
		default: 'off',
		description:
			"Whether to also return an item that says whether all is well: how many sites were read, and what failed. Its field 'change' is 'statusReport'.",
	},
	(input) => checkChoice(input, ['off', 'daily', 'weekly']),
);

const timeout = createTimeoutOption(10, (MAX_SITE_SHARE * MAX_POLL_MS) / SECOND_MS);

/** The field of the node, with the trigger's own texts. */
const watchedSites: typeof sitesChoice = {
	...sitesChoice,
	property: {
		...sitesChoice.property,
		description: 'Which sites to watch',
		hint: 'Each poll reads every site once. With more than 50 sites, choose Every Hour or less often.',
	},
};

const FIELDS: ReadonlyArray<Field<unknown>> = [
	watchedSites,
	...sitesFields.filter((each) => each !== sitesChoice),
	changes,
	statusReport,
	timeout,
];

export const triggerProperties: INodeProperties[] = buildPanel(FIELDS);

/** The settings of a trigger, except which sites it watches. */
export type TriggerSettings = ReturnType<typeof getTriggerSettings>;

/**
 * Evaluates all fields before the poll waits for anything: when another poll of the workflow ends, n8n 2.40 releases the
 * resources that expressions need. So `NodeParameters` sees no expressions, only values.
 */
export function evaluateFields(context: IPollFunctions): ParameterSource {
	const values = new Map(
		FIELDS.map(({ path, fallback }) => [path, context.getNodeParameter(path, fallback)]),
	);
	return { getNode: () => context.getNode(), getNodeParameter: (path) => values.get(path) };
}

/** @throws NodeOperationError that names the field that cannot be used. */
export function getTriggerSettings(parameters: NodeParameters) {
	const chosen = parameters.get(changes);
	// Licence and biomass limit are fields of the info.
	const infoKinds = chosen.includes('infoChanged') ? ['licenseChanged', 'biomassLimitChanged'] : [];
	const isChosen = (kind: ChangeKind) =>
		chosen.includes(ANY_CHANGE) || chosen.includes(kind) || infoKinds.includes(kind);
	return {
		changeKinds: new Set(CHANGE_KINDS.filter(isChosen)),
		sitesChoice: parameters.get(sitesChoice),
		statusReport: parameters.get(statusReport),
		timeoutMs: parameters.get(timeout),
	};
}
