import type { NodeExecutionHint } from 'n8n-workflow';
import type { SiteList } from '../service/siteList';
import { SECOND_MS } from '../messages/duration';
import { MESSAGES } from '../messages/messages';
import type { Statistics } from '../requests/readAll';
import { listHints } from '../input/serviceList';
import type { Sites } from '../input/sites';

/** What is reported of an execution. */
interface Summary {
	statistics: Statistics;
	/** How many sites were asked for, each counted once. */
	asked: number;
	/** How many of them could not be read, so that they are error items. */
	failed: number;
	/** How many input items could not be used. */
	unusableItems: number;
	hasErrorBranch: boolean;
	/** The names of the sites that do not exist and were left out. */
	missing: readonly string[];
	/** The names of the sites that have no items. */
	empty: readonly string[];
	/** The parts that were asked for and not sent, each with the number of sites that lack it. */
	absent: ReadonlyArray<readonly [part: string, sites: number]>;
	/** If all sites are meant: what is known of them, and the number of input items, of which only the first one counts. */
	allSites: { sites: Sites; inputItems: number } | undefined;
	/** The service's list of sites, if it was used. */
	list: SiteList | undefined;
	/** How many input items ask for the same, if no field has an expression. */
	repeatedFor: number | undefined;
}

const NOTHING: Omit<Summary, 'hasErrorBranch'> = {
	statistics: { waitedMs: 0, tookMs: 0 },
	asked: 0,
	failed: 0,
	unusableItems: 0,
	missing: [],
	empty: [],
	absent: [],
	allSites: undefined,
	list: undefined,
	repeatedFor: undefined,
};

/** The hints that the output panel shows after an execution that has not failed. */
export function hintsOf(
	summary: Partial<Summary> & Pick<Summary, 'hasErrorBranch'>,
): NodeExecutionHint[] {
	const known = { ...NOTHING, ...summary };
	const { statistics, asked, failed, unusableItems, hasErrorBranch } = known;
	const { missing, empty, absent, allSites, list, repeatedFor } = known;
	const { hints } = MESSAGES;
	const { linesLeftOut = [] } = allSites?.sites ?? {};
	const total = allSites?.sites.all().length ?? 0;
	const warnings = [
		...(linesLeftOut.length > 0 ? [hints.linesLeftOut(linesLeftOut)] : []),
		...(list ? listHints(list) : []),
		...(failed > 0 ? [hints.failed(failed, asked, hasErrorBranch)] : []),
		...(unusableItems > 0 ? [hints.unusableItems(unusableItems, hasErrorBranch)] : []),
		...(missing.length > 0 ? [hints.missing(missing, asked)] : []),
		...absent.map(([part, sites]) => hints.absent(part, sites, asked)),
	];
	const infos = [
		...(empty.length > 0 ? [hints.noUnits(empty, asked)] : []),
		...(repeatedFor ? [hints.readForEach(repeatedFor)] : []),
		...(allSites && allSites.inputItems > 1 ? [hints.readOnce(allSites.inputItems)] : []),
		...(total > asked ? [hints.limited(asked, total)] : []),
		...(statistics.waitedMs >= SECOND_MS ? [hints.waited(asked, statistics.tookMs)] : []),
	];
	const shown = (type: 'info' | 'warning') => (message: string) =>
		({ message, type, location: 'outputPane' }) as const;
	return [...warnings.map(shown('warning')), ...infos.map(shown('info'))];
}
