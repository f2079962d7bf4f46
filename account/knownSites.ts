import { LINE_FAULTS, type KnownSiteFault } from '../texts/fieldFaults';
import { checkSiteId } from '../service/requestValues';

/** A site that a credential knows by a name of the user's choice. */
export interface KnownSite {
	siteId: number;
	name: string;
}

export interface KnownSites {
	/** In the order of the lines; each ID once. */
	sites: KnownSite[];
	faults: KnownSiteFault[];
}

/** An ID, then a name after blanks, a tab, a comma, a semicolon or a colon, without such characters at its end. */
const LINE = /^([^\s,;:]+)(?:[\s,;:]+([^\s,;:](?:.*[^\s,;:])?))?/;

/** `1 001 Storvågen`: an ID with a thousands separator, or an ID and a name that begins with digits. A tab ends the ID. */
const SEPARATED_THOUSANDS = /^-?\d{1,3}(?:[^\S\t]|[,.'\u2019])\d{3}(?!\d)/;

/**
 * Reads the field 'Known Sites' of a credential: a site a line, its ID and then a name. Blank lines are skipped; a site
 * without a name is known by its ID. A line that cannot be used is left out.
 */
export function readKnownSites(typed: unknown): KnownSites {
	const sites: KnownSite[] = [];
	const faults: KnownSiteFault[] = [];
	const lineOfId = new Map<number, number>();
	const lineOfName = new Map<string, number>();
	const lines = typeof typed === 'string' ? typed.split(/\r\n|[\n\r\u2028\u2029]/) : [];
	for (const [index, text] of lines.map((line) => line.trim()).entries()) {
		if (text === '') continue;
		const line = index + 1;
		const [, id = '', typedName] = LINE.exec(text) ?? [];
		const checked = checkSiteId(id);
		if (checked.fault !== undefined || SEPARATED_THOUSANDS.test(text)) {
			faults.push({ line, text, fault: LINE_FAULTS.noId(), isLeftOut: true });
			continue;
		}
		const siteId = checked.value;
		const repeated = lineOfId.get(siteId);
		if (repeated !== undefined) {
			faults.push({ line, text, fault: LINE_FAULTS.repeatedId(repeated), isLeftOut: false });
			continue;
		}
		const name = typedName ?? String(siteId);
		const namesake = lineOfName.get(nameKey(name));
		if (namesake !== undefined) {
			faults.push({ line, text, fault: LINE_FAULTS.repeatedName(namesake), isLeftOut: false });
		}
		lineOfId.set(siteId, line);
		lineOfName.set(nameKey(name), line);
		sites.push({ siteId, name });
	}
	return { sites, faults };
}

/** What a name is compared by: without regard to case, blanks around it, and composed or decomposed letters. */
export function nameKey(name: string): string {
	return name.normalize('NFC').toLowerCase().replace(/\s+/g, ' ').trim();
}

/** Whether a site was entered with a name. One without has its ID in place of it. */
export function hasName({ siteId, name }: KnownSite): boolean {
	return name !== String(siteId);
}

/** What n8n's lists call a site: its name and its ID, `Storvågen (1001)`. */
export function listLabel(site: KnownSite): string {
	return hasName(site) ? `${site.name} (${site.siteId})` : site.name;
}
