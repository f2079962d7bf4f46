import { WRONG_TYPE } from './invalid';
import {
	addNoSite,
	capitalise,
	formatDuration,
	listLines,
	listNames,
	plural,
	type Lines,
} from './phrases';

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
		`Lines of 'Known Sites' in the credential that ${addNoSite(lines)} were left out: ${listLines(lines)}. Write one site per line, its ID first`,
	waited: (
		count: number,
		{ tookMs, slowedBy }: { tookMs: number; slowedBy: 'limit' | 'refusals' | 'service' },
	) => {
		const reason = {
			limit: 'because of the request limit of the account. Other workflows and triggers share it',
			refusals:
				'because the service refused requests: there were too many. Other programs may use the account',
			service: 'because the service was slow, or down for a while',
		}[slowedBy];
		return `${plural(count, 'site')} took ${formatDuration(tookMs, Math.round)} ${reason}`;
	},
};
