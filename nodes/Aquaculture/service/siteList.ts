import { ANSWER_FAULTS } from '../messages/faults';
import type { ServiceDocument } from './response';
import type { Checked } from '../messages/checked';
import { MESSAGES } from '../messages/messages';
import { causeOf, type Failure } from './failures';
import { checkSiteId, trimmed, visible } from '../input/values';

/** The sites that the service lists. */
export interface SiteList {
	/** In the order of the answer, each ID once; the name is the ID if the list gives it no name. */
	sites: Array<{ siteId: number; name: string }>;
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
		subject: 'the list of sites',
		check: checkSiteList,
	};
}

/**
 * Finds the sites in an answer of any shape: every object, at any depth, with an ID under `siteId`, the field by which
 * docs/service-interface.md identifies a site ("Site"). Objects inside a site are parts of it.
 */
export function checkSiteList(body: unknown): Checked<SiteList> {
	const names = new Map<number, string>();
	const unusable: string[] = [];
	let isWhole = true;
	const visit = (value: unknown): void => {
		if (typeof value !== 'object' || value === null) return;
		const { siteId: typed, siteName } = value as Record<string, unknown>;
		const id = trimmed(typed);
		if (typeof id !== 'number' && !(typeof id === 'string' && /^-?\d+$/.test(id))) {
			if (Object.entries(value).some(speaksOfMore)) isWhole = false;
			Object.values(value).forEach(visit);
			return;
		}
		const { value: siteId } = checkSiteId(id);
		const name = typeof siteName === 'string' ? visible(siteName).trim() : '';
		if (siteId === undefined) unusable.push(String(id));
		else if (names.size === MAX_SITES && !names.has(siteId)) isWhole = false;
		else names.set(siteId, names.get(siteId) || name);
	};
	visit(body);
	if (names.size === 0) {
		const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
		return unusable.length > 0
			? ANSWER_FAULTS.unusableIds(unusable)
			: ANSWER_FAULTS.noSites(isObject ? Object.keys(body) : []);
	}
	const sites = [...names].map(([siteId, name]) => ({ siteId, name: name || String(siteId) }));
	return { value: { sites, isWhole, unusable } };
}

/** `next`, `nextPage`, `next_page_url`, `@odata.nextLink` and the like. */
const NEXT_PAGE = /^(@odata\.)?next([_-]?(page|link|url|uri|href|cursor|token|offset))*$/i;
/** `hasNext`, `has_more` and the like. */
const HAS_MORE = /^(has|is)[_-]?(next|more)([_-]?pages?)?$/i;
/** How services write that there is no other page. */
const NO_PAGE = /^\s*(none|null|false|no|0|-?)\s*$/i;

/** Whether a field names another page. */
function speaksOfMore([name, said]: [string, unknown]): boolean {
	if (HAS_MORE.test(name)) return String(said) === 'true';
	return NEXT_PAGE.test(name) && namesPage(said);
}

function namesPage(said: unknown): boolean {
	if (typeof said !== 'object' || said === null) return !NO_PAGE.test(String(said ?? ''));
	return Object.values(said).some(namesPage);
}

/** Statuses that say nothing of the address. */
const ABOUT_OTHERS: ReadonlyArray<number | undefined> = [undefined, 401, 403, 429];

/** Whether the likely cause of a failure is the address of the list, which a person can correct. */
export function isOfAddress({ retryable, statusCode }: Failure): boolean {
	return !retryable && !ABOUT_OTHERS.includes(statusCode);
}

/** The failure of a request for the list. It is no site: leaving out sites that the service does not know does not concern it. */
export function listFailure({ unknown, ...failure }: Failure): Failure {
	if (failure.unasked) return failure;
	const text = unknown
		? MESSAGES.siteList.unknown()
		: MESSAGES.siteList.unread(failure, isOfAddress(failure));
	return { ...failure, ...text, cause: `siteList ${causeOf(failure)}` };
}
