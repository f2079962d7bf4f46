import type { CheckedField } from '../../../api/checkResult';
import { FIELD_FAULTS, enterSite, type Fault } from '../../../api/faults';
import { checkSiteId, checkSiteIds } from '../../../api/parameters';
import type { FieldContext } from './field';

/* Which sites a value means: by their IDs, or as the credential knows them. */

/** What is between the entries of a text, tried one after the other: a name may contain blanks and commas. */
const SEPARATORS = [/[;\t\n\r]/, /,/];

/** In a longer text, no list is looked for where one site is meant. */
const MAX_LIST_CHARACTERS = 10_000;

/**
 * The site that a value means: any ID, or a known site by its name or its label in n8n's lists.
 *
 * @param byName whether the value is a text that means a known site, even where it is a number: the first whose name it is,
 *   or else its label, or else its ID. A tool may be given any ID all the same.
 */
export function findSite(
	typed: unknown,
	byName: boolean,
	context: FieldContext,
): CheckedField<number> {
	const byId = checkSiteId(typed);
	if (isEmpty(typed) || (byId.fault === undefined && !byName)) return byId;
	if (typeof typed !== 'string' && typeof typed !== 'number') {
		return Array.isArray(typed) ? FIELD_FAULTS.severalSites(typed) : byId;
	}
	const text = String(typed);
	const found = context.knownSites.find(text);
	if (found.length > 0) return onlyOne(found, text);
	if (byId.fault === undefined && context.isTool) return byId;
	if (isList(text, context)) return FIELD_FAULTS.severalSites(typed);
	if (byName || byId.fault === undefined) return unknownName(text, byName, context);
	if (typeof typed === 'number') return byId;
	return hasLetters(text) ? unknownName(text, false, context) : withAdvice(byId, context);
}

function isList(text: string, context: FieldContext): boolean {
	if (text.length > MAX_LIST_CHARACTERS) return false;
	const entries = [...entriesOf(listOf(text) ?? [], context)];
	return entries.length > 1 && entries.every(({ ids }) => ids.length > 0);
}

/**
 * The sites that a list means, in its order, repetitions included: IDs as in {@link checkSiteIds}, and known sites by their
 * names or their labels in n8n's lists.
 */
export function findSites(typed: unknown, context: FieldContext): CheckedField<number[]> {
	const list = listOf(typed);
	if (!list) return checkSiteIds(typed);

	const siteIds: number[] = [];
	const unknown: unknown[] = [];
	for (const { entry, ids } of entriesOf(list, context)) {
		if (ids.length > 0) {
			const found = onlyOne(ids, String(entry));
			if (found.fault !== undefined) return found;
			siteIds.push(found.value);
		} else if (typeof entry === 'string' && hasLetters(entry)) {
			return unknownName(entry, false, context);
		} else {
			unknown.push(entry);
		}
	}
	if (unknown.length === 0) return siteIds.length > 0 ? { value: siteIds } : FIELD_FAULTS.empty();
	const refused = checkSiteIds(unknown);
	const isText = unknown.some((entry) => typeof entry === 'string');
	return refused.fault !== undefined && isText ? withAdvice(refused, context) : refused;
}

/** A part of a list, and the sites that it may mean. */
interface Entry {
	entry: unknown;
	ids: readonly number[];
}

function* entriesOf(
	list: readonly unknown[],
	context: FieldContext,
	separators = SEPARATORS,
): Generator<Entry> {
	const [separator, ...others] = separators;
	for (const entry of list) {
		if (isEmpty(entry)) continue;
		if (typeof entry !== 'string') {
			const { value: siteId } = checkSiteId(entry);
			yield { entry, ids: siteId === undefined ? [] : [siteId] };
			continue;
		}
		const { value: onlyIds } = hasLetters(entry) ? {} : checkSiteIds(entry);
		const ids = context.knownSites.find(entry);
		if (onlyIds) {
			for (const siteId of onlyIds) yield { entry, ids: [siteId] };
		} else if (ids.length === 0 && separator) {
			yield* entriesOf(entry.split(separator), context, others);
		} else {
			yield { entry: entry.trim(), ids };
		}
	}
}

/** The elements of a list, which may be written as JSON. A text or a number is the only element of one. */
function listOf(typed: unknown): unknown[] | undefined {
	if (Array.isArray(typed)) return typed;
	if (typeof typed !== 'string') return typeof typed === 'number' ? [typed] : undefined;
	try {
		const parsed: unknown = typed.trim().startsWith('[') ? JSON.parse(typed) : undefined;
		return Array.isArray(parsed) ? parsed : [typed];
	} catch {
		return [typed];
	}
}

function isEmpty(typed: unknown): boolean {
	return typed === null || typed === undefined || (typeof typed === 'string' && !typed.trim());
}

function hasLetters(text: string): boolean {
	return /\p{L}/u.test(text);
}

function onlyOne(siteIds: readonly number[], text: string): CheckedField<number> {
	const [siteId, ...others] = siteIds as [number, ...number[]];
	return others.length === 0 ? { value: siteId } : FIELD_FAULTS.sharedName(text, siteIds);
}

function unknownName(name: string, byName: boolean, { knownSites, isTool }: FieldContext): Fault {
	return FIELD_FAULTS.unknownName(name, knownSites.similarNames(name), { byName, isTool });
}

/** A fault with the ways to enter a site, unless it says what to do. */
function withAdvice(fault: Fault, { isTool }: FieldContext): Fault {
	return { description: enterSite({ byName: false, isTool }), ...fault, mayBeListed: true };
}
