/*
 * Which lines only continue what a quotation mark opens in a line before? In `1001 'A⏎3120 B'`, the second line is part of a name,
 * not site 3120. `siteText.ts` joins the cells that spreadsheets quote; this finds other marks, and marks within a cell.
 */

/** A mark before a word opens a quote: `'A`, but not `St John's`. */
const OPENING = /(?:^|[\s;,|:])["'“„‘‚«»]/;
/** With no other mark after it, the quote is still open at the end of the line. */
const OPEN_AT_END = /(?:^|[\s;,|:])(["'“„‘‚«»])[^"'“”„‘’‚«»]*$/;

/** Returns whether a line ends a quote. An apostrophe before a letter belongs to a word: `St John's`. */
function closes(line: string, mark: string): boolean {
	const closing = /['‘‚]/.test(mark) ? /['‘’](?![\p{L}\p{N}])/u : /["“”«»]/;
	return closing.test(line) && !OPENING.test(line);
}

/** Finds the indexes of the lines after one that opens a quote, up to the line that closes it. */
export function findContinuations(lines: readonly string[]): Set<number> {
	const found = new Set<number>();
	let open: { mark: string; index: number } | undefined;
	lines.forEach((line, index) => {
		if (open && closes(line, open.mark)) {
			for (let inside = open.index + 1; inside <= index; inside++) found.add(inside);
			open = undefined;
		}
		if (OPENING.test(line)) {
			const [, mark] = OPEN_AT_END.exec(line) ?? [];
			open = mark === undefined ? undefined : { mark, index };
		}
	});
	return found;
}
