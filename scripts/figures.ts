import { xSync } from 'tinyexec';
import manifest from '../package.json';
import { installationOf } from '../testbed/n8n/install';
import { MAIN_VERSION } from '../testbed/n8n/versions';

/** What is measured. */
export function versions(): Record<'package' | 'n8n' | 'node', string> {
	const { stdout } = xSync(installationOf(MAIN_VERSION).node, ['--version']);
	return { package: manifest.version, n8n: MAIN_VERSION, node: stdout.trim().slice(1) };
}

/** The middle of some values, of an even number the mean of the two in the middle. */
export function median(values: readonly number[]): number {
	const sorted = [...values].sort((one, other) => one - other);
	const middle = (sorted.length - 1) / 2;
	const at = (index: number) => sorted[index] ?? NaN;
	return (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2;
}

/**
 * A table in Markdown, padded so that it can be read as it stands.
 *
 * @param rows of as many cells as there are titles; the first column holds text, the others numbers.
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
 * A page with a text between its two marks, in place of what was there.
 *
 * @throws Error if the page lacks a mark.
 */
export function withBetween(
	page: string,
	[begin, end]: readonly [string, string],
	text: string,
): string {
	const [before, rest = ''] = page.split(begin);
	const [, after] = rest.split(end);
	if (before === undefined || after === undefined) throw new Error(`The page lacks ${begin}`);
	return `${before}${begin}\n\n${text}\n\n${end}${after}`;
}
