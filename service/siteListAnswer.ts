import type { Checked } from '../texts/checked';
import type { ServiceDocument } from './document';
import { ANSWER_FAULTS } from '../texts/faults';
import { checkSiteId } from './requestValues';

/** A site in the service's list. */
interface ListedSite {
	siteId: number;
	/** Its ID if the list gives it no name. */
	name: string;
}

/** The sites that the service lists. */
export interface SiteList {
	/** In the order of the answer, each ID once. */
	sites: ListedSite[];
	/** Whether there are no others, as far as the answer shows. */
	isWhole: boolean;
	/** The IDs that cannot be used: with leading zeros, or too large to be exact in JSON. */
	unusable: string[];
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
	const unusable: string[] = [];
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
		if (siteId === undefined) {
			unusable.push(String(id));
			return;
		}
		if (found.size < MAX_SITES || found.has(siteId)) {
			found.set(siteId, found.get(siteId) ?? nameOf(value));
		} else {
			isWhole = false;
		}
	};
	visit(body);
	if (found.size === 0 && unusable.length > 0) {
		return { fault: ANSWER_FAULTS.unusableIds(unusable) };
	}
	if (found.size === 0) return { fault: ANSWER_FAULTS.noSites(topFields(body)) };
	const sites = [...found].map(([siteId, name = String(siteId)]) => ({ siteId, name }));
	return { value: { sites, isWhole, unusable } };
}

/** What identifies a site; undefined if an object is none. */
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

/** `next`, `nextPage`, `next_page_url`, `@odata.nextLink` and the like. */
const NEXT_PAGE = /^(@odata\.)?next([_-]?(page|link|url|uri|href|cursor|token|offset))*$/i;
/** `hasNext`, `has_more` and the like. */
const HAS_MORE = /^(has|is)[_-]?(next|more)([_-]?pages?)?$/i;
/** How services write that there is no other page. */
const NO_PAGE = /^\s*(none|null|false|no|0|-?)\s*$/i;

/** Whether an object has a field that names another page. */
function speaksOfMore(value: object): boolean {
	return Object.entries(value).some(([name, said]) =>
		HAS_MORE.test(name) ? String(said) === 'true' : NEXT_PAGE.test(name) && namesPage(said),
	);
}

function namesPage(said: unknown): boolean {
	if (typeof said !== 'object' || said === null) return !NO_PAGE.test(String(said ?? ''));
	return Object.values(said).some(namesPage);
}

function topFields(body: unknown): string[] {
	const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
	return isObject ? Object.keys(body) : [];
}
