import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ICruiseResult } from 'dependency-cruiser';
import { run } from '../../testbed/command';
import { PAGES, ROOT } from './pages';

/** The folders that the diagram shows. */
const DRAWN = ['account', 'api', 'shared', 'credentials', 'nodes', 'emulator'];
/** Those that may use all of them. */
const USERS = ['testbed', 'scripts', 'test'];

async function cruise(): Promise<ICruiseResult> {
	const rules = path.join(__dirname, 'dependencyRules.json');
	const printed = await run(
		path.join(ROOT, 'node_modules/.bin/depcruise'),
		['--config', rules, '--output-type', 'json', ...DRAWN, ...USERS],
		{ cwd: ROOT, quiet: true },
	);
	return JSON.parse(printed) as ICruiseResult;
}

/** An import between two parts, as the diagram draws it. */
type Arrow = readonly [from: string, to: string];

const diagrams = PAGES.flatMap(({ blocks }) => blocks).filter(
	({ language }) => language === 'mermaid',
);

function drawnArrows(): Arrow[] {
	const [kind, ...lines] = diagrams[0]?.text.split('\n') ?? [];
	if (kind !== 'flowchart LR') throw new Error(`Not a diagram of arrows: ${kind}`);
	return lines.map((line) => {
		const [, from, to] = /^ {2}([\w/.]+) --> ([\w/.]+)$/.exec(line) ?? [];
		if (!from || !to) throw new Error(`Not an arrow: ${line}`);
		return [from, to];
	});
}

/** All parts to which the arrows lead from one, directly or not. */
function reachable(from: string, arrows: readonly Arrow[], found = new Set<string>()): Set<string> {
	for (const [start, end] of arrows) {
		if (start !== from || found.has(end)) continue;
		found.add(end);
		reachable(end, arrows, found);
	}
	return found;
}

describe('docs/architecture.md', () => {
	const arrows = drawnArrows();
	let report: ICruiseResult;

	beforeAll(async () => {
		report = await cruise();
	}, 120_000);

	it('docs/architecture.md shows which folder imports from which', () => {
		const parts = new Set(arrows.flat());
		// A file that has a place of its own in the diagram, or else its folder.
		const partOf = (file: string) => (parts.has(file) ? file : path.posix.dirname(file));
		const isDrawn = (file: string) => DRAWN.includes(file.split('/')[0] ?? '');
		const imports = report.modules
			.filter(({ source }) => isDrawn(source))
			.flatMap(({ source, dependencies }) =>
				dependencies
					.filter(({ resolved }) => isDrawn(resolved))
					.map(({ resolved }) => [partOf(source), partOf(resolved)] as const),
			)
			.filter(([from, to]) => from !== to);
		const drawn = (list: readonly Arrow[]) => list.map(([from, to]) => `${from} --> ${to}`);

		expect(diagrams).toHaveLength(1);
		expect(drawn(arrows).sort()).toEqual([...new Set(drawn(imports))].sort());
	});

	it('docs/architecture.md has no way back along an arrow', () => {
		const circles = arrows.filter(([from, to]) => reachable(to, arrows).has(from));

		expect(circles).toEqual([]);
	});

	it('docs/architecture.md is kept to by every import', () => {
		const { violations } = report.summary;

		expect(violations.map(({ rule, from, to }) => `${rule.name}: ${from} imports ${to}`)).toEqual(
			[],
		);
	});

	it("docs/architecture.md names the folders that touch n8n's request helpers", async () => {
		const touching = new Set<string>();
		for (const { source } of report.modules) {
			if (!DRAWN.includes(source.split('/')[0] ?? '')) continue;
			const text = await readFile(path.join(ROOT, source), 'utf8');
			if (/\bhelpers\b|httpRequest/.test(text)) touching.add(path.posix.dirname(source));
		}

		expect([...touching].sort()).toEqual([
			'credentials',
			'credentials/token',
			'nodes/Aquaculture/transport',
		]);
	});
});
