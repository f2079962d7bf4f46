import { checkSiteId, checkText, visible } from './values';
import type { LeftOutLine } from '../messages/messages';

/** A site that a credential knows by a name of the user's choice. */
export interface KnownSite {
	siteId: number;
	name: string;
}

export interface KnownSites {
	/** In the order of the lines; each ID once. */
	sites: KnownSite[];
	/** The lines without a site ID. */
	leftOut: LeftOutLine[];
	/** The lines whose ID is that of a line before, which counts. */
	repeated: LeftOutLine[];
}

const ID = String.raw`^"?(-?[^\s,;:|"\p{Pd}−]+)(?=["\s,;:|]|[\p{Pd}−]\s|$)"?`;
const DASH_OR_BAR = String.raw`(?:\||[\p{Pd}−](?=\s))`;
const BETWEEN = String.raw`[\s,;:]*(?:${DASH_OR_BAR}[\s,;:]*)?`;
/** Up to a further column, and without separators at its end. */
const NAME = String.raw`("[^"]*"(?=\s*(?:[,;\t]|$))|[^\s,;:](?:[^;\t]*[^\s,;:])?)?`;
const LINE = new RegExp(ID + BETWEEN + NAME, 'u');

/** `1 001 Storvågen`: an ID with a thousands separator, or an ID and a name that begins with digits. A tab ends the ID. */
const SEPARATED_THOUSANDS = /^-?\d{1,3}(?:[^\S\t]|[,.'\u2019])\d{3}(?!\d)/;

/**
 * Reads the field 'Known Sites' of a credential: a site a line, its ID and then a name, or columns with the ID as the last
 * one. Blank lines and a header are skipped; a site without a name is known by its ID.
 */
export function readKnownSites(typed: unknown): KnownSites {
	const names = new Map<number, string>();
	const leftOut: LeftOutLine[] = [];
	const repeated: LeftOutLine[] = [];
	const text = visible(checkText(typed).value ?? '');
	const lines = text
		.split(/\r\n|[\n\r\u2028\u2029]/)
		.map((line, index) => ({ line: index + 1, text: line.trim() }))
		.filter((line) => line.text !== '');
	for (const [index, line] of lines.entries()) {
		const site = readLine(line.text);
		if (site && names.has(site.siteId)) repeated.push(line);
		else if (site) names.set(site.siteId, site.name);
		else if (index > 0 || !namesColumns(line.text)) leftOut.push(line);
	}
	const sites = [...names].map(([siteId, name]) => ({ siteId, name }));
	return { sites, leftOut, repeated };
}

function readLine(typed: string): KnownSite | undefined {
	const text = unquoted(typed);
	const [, id = '', name] = LINE.exec(text) ?? [];
	const { value: siteId } = checkSiteId(id);
	if (siteId !== undefined) {
		const isAmbiguous = SEPARATED_THOUSANDS.test(text);
		return isAmbiguous ? undefined : { siteId, name: unquoted(name ?? String(siteId)) };
	}
	const columns = text.split(/[\t;]/).map((column) => unquoted(column.trim()));
	const [first = '', ...others] = columns.filter((column) => column !== '');
	const { value: lastId } = checkSiteId(others.at(-1));
	return lastId === undefined ? undefined : { siteId: lastId, name: first };
}

/** Whether a line is a header: columns, or the word ID, without any digit. */
function namesColumns(text: string): boolean {
	return /[\t;,]|\bid\b|siteid/i.test(text) && !/\d/.test(text);
}

/** A text without the quotes around all of it. */
function unquoted(text: string): string {
	const inner =
		/^(?:"([^"]+)"|'([^']+)'|[“„]([^“”]+)[“”]|[‘‚]([^‘’]+)[‘’]|«([^»]+)»|»([^«]+)«)$/.exec(text);
	return (
		inner
			?.slice(1)
			.find((each) => each !== undefined)
			?.trim() ?? text
	);
}

/**
 * What a name is compared by: without regard to case, blanks around it, invisible characters, and composed or decomposed
 * letters. Upper case comes in between since ß becomes SS only there, and lower case before it since ẞ does not; İ and the
 * two small sigmas are what is left.
 */
export function nameKey(name: string): string {
	return visible(name)
		.normalize('NFC')
		.toLowerCase()
		.toUpperCase()
		.toLowerCase()
		.normalize('NFC')
		.replaceAll('ς', 'σ')
		.replaceAll('i\u0307', 'i')
		.replace(/\s+/g, ' ')
		.trim();
}

/** Whether a site was entered with a name. One without has its ID in place of it. */
export function hasName({ siteId, name }: KnownSite): boolean {
	return name !== String(siteId);
}

/** What n8n's lists call a site: its name and its ID, `Storvågen (1001)`. */
export function listLabel(site: KnownSite): string {
	return hasName(site) ? `${site.name} (${site.siteId})` : site.name;
}
