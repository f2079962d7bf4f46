import type { Checked } from './checkResult';
import type { ServiceDocument } from './document';
import { ANSWER_FAULTS } from './faults';
import { checkSiteId } from './parameters';

/** A site in the service's list. */
interface ListedSite {
	siteId: number;
	/** Its ID where the list gives it no name. */
	name: string;
}

/** The sites that the service lists. */
export interface SiteList {
	/** In the order of the answer, each ID once. */
	sites: ListedSite[];
	/** Whether there are no others, as far as the answer shows. */
	isWhole: boolean;
}

/** How many sites of a list are used. */
const MAX_SITES = 10_000;

/**
 * The list of sites at an address that the user enters: the service documents none (docs/service-interface.md, "Not known").
 *
 * @param path below the base URL, with its query.
 */
export function siteListDocument(path: string): ServiceDocument<SiteList> {
	return {
		path,
		id: {},
		subject: 'the list of sites',
		kind: { one: 'list of sites', many: 'lists of sites' },
		check: checkSiteList,
	};
}

/**
 * Finds the sites in an answer of any shape: every object, at any depth, with an ID under `siteId`, the field by which
 * docs/service-interface.md identifies a site ("Site"). Objects inside a site are parts of it.
 */
export function checkSiteList(body: unknown): Checked<SiteList> {
	const found = new Map<number, string | undefined>();
	let isWhole = true;
	const visit = (value: unknown): void => {
		if (typeof value !== 'object' || value === null) return;
		const id = idOf(value);
		if (id === undefined) {
			if (speaksOfMore(value)) isWhole = false;
			Object.values(value).forEach(visit);
			return;
		}
		const { value: siteId } = checkSiteId(id);
		if (siteId === undefined) return;
		if (found.size < MAX_SITES || found.has(siteId)) {
			found.set(siteId, found.get(siteId) ?? nameOf(value));
		} else {
			isWhole = false;
		}
	};
	visit(body);
	if (found.size === 0) return { fault: ANSWER_FAULTS.noSites(topFields(body)) };
	const sites = [...found].map(([siteId, name = String(siteId)]) => ({ siteId, name }));
	return { value: { sites, isWhole } };
}

/** What identifies a site; undefined where an object is none. */
function idOf(value: object): number | string | undefined {
	const id = ownField(value, 'siteId');
	const isId = typeof id === 'number' || (typeof id === 'string' && /^\s*-?\d+\s*$/.test(id));
	return isId ? id : undefined;
}

function nameOf(site: object): string | undefined {
	const name = ownField(site, 'siteName');
	return typeof name === 'string' && name.trim() !== '' ? name.trim() : undefined;
}

function ownField(value: object, name: string): unknown {
	return Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
}

/** Whether an object has a field such as `nextPage`, and it is not empty. */
function speaksOfMore(value: object): boolean {
	return Object.entries(value).some(([name, next]) => /next/i.test(name) && !isEmpty(next));
}

function isEmpty(value: unknown): boolean {
	const isContainer = typeof value === 'object' && value !== null;
	return isContainer ? Object.keys(value).length === 0 : !value;
}

function topFields(body: unknown): string[] {
	const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
	return isObject ? Object.keys(body) : [];
}
