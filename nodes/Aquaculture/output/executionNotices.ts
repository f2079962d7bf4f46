import type { NodeExecutionHint } from 'n8n-workflow';
import type { KnownSites } from '../input/knownSites';
import { SECOND_MS } from '../utils/time';
import { WRONG_TYPE } from '../messages/invalid';
import {
	capitalise,
	formatDuration,
	listLines,
	listNames,
	plural,
	type Lines,
} from '../messages/phrases';
import type { Statistics } from '../fetching/fetchAll';
import type { Deviation, ParsedDocument } from '../service/answer';
import { SECTIONS, shortSiteLabel, type SiteRef, type RawSite } from '../service/site';

/** The result of a site, however many items requested it. */
export interface SiteOutcome {
	name: string;
	/** `notFound`: the service does not know the site, and it was left out. `empty`: it has no units, and so no items. */
	result: 'read' | 'failed' | 'notFound' | 'empty';
	/** The requested sections that the service did not send. */
	absent?: readonly string[];
	deviations?: ReadonlyArray<Deviation & { isSkipped: boolean }>;
}

/** See `SiteRequest` in `operations/operation.ts`. */
interface RequestedSite {
	site: SiteRef;
	expectedSections: readonly string[];
	rowType?: 'site' | 'unit';
}

/** @param itemCount how many items were made of the answer. */
export function createOutcome(
	{ site, expectedSections, rowType }: RequestedSite,
	{ json, deviations }: ParsedDocument<RawSite>,
	itemCount: number,
): SiteOutcome {
	const absent = expectedSections.filter((section) => !Object.hasOwn(json, section));
	const hasUnusableUnits = deviations.some(({ field }) => field === 'units');
	const isEmpty = itemCount === 0 && absent.length === 0 && !hasUnusableUnits;
	const isSkipped = (field: string) =>
		rowType !== undefined && SECTIONS.some((section) => section === field);
	// The row of a site only counts its units.
	const isShown = (field: string) => rowType !== 'site' || !field.startsWith('units.');
	return {
		name: shortSiteLabel(site),
		result: isEmpty ? 'empty' : 'read',
		absent,
		deviations: deviations
			.filter(({ field }) => isShown(field))
			.map((deviation) => ({ ...deviation, isSkipped: isSkipped(deviation.field) })),
	};
}

/** The facts about an execution that notices depend on. */
export interface ExecutionFacts {
	hasErrorOutput: boolean;
	/** Of the requested sites, each once. */
	outcomes?: readonly SiteOutcome[];
	statistics?: Statistics;
	/** How many input items could not be used. */
	unusableItems?: number;
	/** With 'All Sites': the known sites, and the number of input items, of which only the first one counts. */
	allKnownSites?: { sites: KnownSites; inputItems: number } | undefined;
}

/** Builds the notices for the output panel of an execution that has succeeded. */
export function buildNotices({
	hasErrorOutput,
	outcomes = [],
	statistics,
	unusableItems = 0,
	allKnownSites,
}: ExecutionFacts): NodeExecutionHint[] {
	const siteCount = outcomes.length;
	const namesOf = (result: SiteOutcome['result']) =>
		outcomes.flatMap((each) => (each.result === result ? [each.name] : []));
	const [failed, notFound, empty] = [namesOf('failed'), namesOf('notFound'), namesOf('empty')];
	const skippedLines = allKnownSites?.sites.unusableLines ?? [];
	const warnings = [
		skippedLines.length > 0 && NOTICES.skippedLines(skippedLines),
		failed.length > 0 && NOTICES.failed(failed, siteCount, hasErrorOutput),
		unusableItems > 0 && NOTICES.unusableItems(unusableItems, hasErrorOutput),
		notFound.length > 0 && NOTICES.notFound(notFound, siteCount),
		...countEach(outcomes.flatMap(({ absent = [] }) => absent)).map(([section, sites]) =>
			NOTICES.absent(section, sites, siteCount),
		),
		...countEach(outcomes.flatMap(({ deviations = [] }) => deviations)).map(([deviation, sites]) =>
			NOTICES.deviation(deviation, sites),
		),
	];
	const infos = [
		empty.length > 0 && NOTICES.noUnits(empty, siteCount),
		allKnownSites && allKnownSites.inputItems > 1 && NOTICES.readOnce(allKnownSites.inputItems),
		statistics && statistics.waitedMs >= SECOND_MS && NOTICES.waited(siteCount, statistics),
	];
	const shown = (type: 'info' | 'warning', messages: Array<string | false | undefined>) =>
		messages
			.filter((message) => typeof message === 'string')
			.map((message) => ({ message, type, location: 'outputPane' }) as const);
	return [...shown('warning', warnings), ...shown('info', infos)];
}

/** Returns each value once, with how often it occurs. */
function countEach<T>(values: readonly T[]): Array<[value: T, count: number]> {
	const counts = new Map<string, [T, number]>();
	for (const value of values) {
		const key = JSON.stringify(value);
		counts.set(key, [value, (counts.get(key)?.[1] ?? 0) + 1]);
	}
	return [...counts.values()];
}

const errorLocation = (hasErrorOutput: boolean) =>
	hasErrorOutput ? "see the tab 'Error Branch'" : "see the field 'error'";
const IF_WRONG = "If that is wrong, check 'Base URL' in the credential";

/** For the output panel of a node that has succeeded, and for AI agents. */
export const NOTICES = {
	nothingFound: () => 'Nothing was found',
	notFound: (names: readonly string[], count: number) => {
		if (count === 1) return `The service does not know the site, so it was left out. ${IF_WRONG}`;
		if (names.length === count) return `The service knows none of the ${count} sites. ${IF_WRONG}`;
		return `Sites that the service does not know were left out: ${listNames(names)}`;
	},
	failed: (failed: readonly string[], count: number, hasErrorOutput: boolean) =>
		count === 1
			? `The site could not be read: ${errorLocation(hasErrorOutput)}`
			: `${failed.length} of ${count} sites could not be read: ${listNames(failed)}. ${capitalise(errorLocation(hasErrorOutput))}`,
	unusableItems: (count: number, hasErrorOutput: boolean) =>
		`${plural(count, 'input item')} could not be used: ${errorLocation(hasErrorOutput)}`,
	noUnits: (names: readonly string[], count: number) =>
		count === 1 ? 'The site has no units' : `Sites without units: ${listNames(names)}`,
	readOnce: (inputItems: number) =>
		`With 'All Sites', the node runs once, with the settings of the first of ${inputItems} input items`,
	absent: (part: string, absent: number, count: number) =>
		`The service sent no ${part} for ${count === 1 ? 'the site' : `${absent} of ${count} sites`}`,
	/** @param reason one of `WRONG_TYPE`. */
	deviation: (
		{ field, reason, isSkipped }: { field: string; reason: string; isSkipped: boolean },
		sites: number,
	) => {
		const returned =
			reason === WRONG_TYPE.exactNumber
				? 'returned, but its last digits may be wrong'
				: 'returned as the service sent it';
		return `'${field}' ${reason} for ${plural(sites, 'site')}: ${isSkipped ? 'left out of the rows' : returned}`;
	},
	skippedLines: (lines: Lines) =>
		`Lines of 'Known Sites' in the credential that add no site were left out: ${listLines(lines)}. Write one site per line, its ID first. If a number belongs to a name, put the name in double quotes`,
	waited: (count: number, { tookMs, slowedBy }: Statistics) => {
		const reason = {
			rate: 'because of the request limit of the account. Other workflows and triggers share it',
			refusals:
				'because the service refused requests: there were too many. Other programs may use the account',
			service: 'mostly because the service was slow to answer, or down for a while',
		}[slowedBy];
		return `${plural(count, 'site')} took ${formatDuration(tookMs, Math.round)} ${reason}`;
	},
};
