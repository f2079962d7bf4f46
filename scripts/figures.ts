/**
 * Formats a table in Markdown, padded for readers of the source.
 *
 * @param rows first column text, the others numbers.
 */
export function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
	const widths = titles.map((title, column) =>
		Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)),
	);
	const pad = (cell: string, column: number) => {
		const width = widths[column] ?? 0;
		return column === 0 ? cell.padEnd(width) : cell.padStart(width);
	};
	const rule = widths.map((width, column) =>
		column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
	);
	return [titles.map(pad), rule, ...rows.map((row) => row.map(pad))]
		.map((cells) => `| ${cells.join(' | ')} |`)
		.join('\n');
}

/**
 * Replaces the text between two marks of a page.
 *
 * @throws Error if a mark is missing.
 */
export function replaceBetween(
	page: string,
	[begin, end]: readonly [string, string],
	text: string,
): string {
	const [before, rest = ''] = page.split(begin);
	const [, after] = rest.split(end);
	if (before === undefined || after === undefined) throw new Error(`The page lacks ${begin}`);
	return `${before}${begin}\n\n${text}\n\n${end}${after}`;
}
