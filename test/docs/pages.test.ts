import { existsSync } from 'node:fs';
import path from 'node:path';
import { filesIn, Page, PAGES, read, ROOT } from './pages';

const exists = (file: string) => existsSync(path.join(ROOT, file));
const seenFrom = (file: string, address: string) =>
	path.posix.join(path.posix.dirname(file), decodeURI(address));

function isBroken(file: string, target: string): boolean {
	const [address = '', anchor] = target.split('#');
	const linked = address === '' ? file : seenFrom(file, address);
	const page = PAGES.find((each) => each.file === linked);
	return !exists(linked) || (anchor !== undefined && !page?.anchors.has(anchor));
}

it.each(PAGES)('$file has no broken links', ({ file, targets }) => {
	const local = targets.filter((target) => !/^[a-z]+:/.test(target));

	expect(local.filter((target) => isBroken(file, target))).toEqual([]);
});

it.each(PAGES)('$file names only files that exist or that it adds', (page) => {
	const added = page.blocks.map(({ announced }) => announced);
	const named = page.codes.filter((code) => /^[\w./-]+\.(ts|js|json|md|svg|yml)$/.test(code));
	const node = 'nodes/Aquaculture/';
	const folders = ['', path.dirname(page.file), node, `${node}trigger/`, '.github/workflows/'];
	const isThere = (name: string) => folders.some((folder) => exists(path.join(folder, name)));

	expect(named.filter((name) => !isThere(name) && !added.includes(name))).toEqual([]);
});

it('links from nodes, credential and GitHub to the documentation work', () => {
	const files = [...filesIn('nodes', '.node.json'), ...filesIn('credentials', '.ts')];
	const texts = [...files, '.github/ISSUE_TEMPLATE/config.yml'].map(read).join('\n');
	const links = texts.matchAll(/n8n-nodes-aquaculture(?:\/blob\/main\/([^#'"\s]+))?(#[^'"\s]+)?/g);
	const targets = [...links]
		.filter(([, file, anchor]) => file ?? anchor)
		.map(([, file = 'README.md', anchor = '']) => file + anchor);

	expect(targets.length).toBeGreaterThan(4);
	expect(targets.filter((target) => isBroken('README.md', target))).toEqual([]);
});

it('a page links to each page and picture', () => {
	const shown = PAGES.flatMap(({ file, targets }) =>
		targets.map((target) => seenFrom(file, target.split('#')[0] ?? '')),
	);
	const own = [...filesIn('docs/images', ''), ...filesIn('docs', '.md'), 'examples/README.md'];

	expect(own.filter((file) => !shown.includes(file))).toEqual([]);
});

it('docs/architecture.md has all rows that the code cites', () => {
	const folders = ['credentials', 'nodes', 'testbed'];
	const code = folders.flatMap((folder) => filesIn(folder, '.ts').map(read)).join('\n');
	const cited = code
		.replaceAll(/\s*\n\s*(?:\*|\/\/)?\s*/g, ' ')
		.matchAll(/\(docs\/architecture\.md, n8n ([\d, and]+)\)/g);
	const numbers = [...cited].flatMap(([, list = '']) => list.match(/\d+/g) ?? []);
	const rows = new Page('docs/architecture.md').rowsOf('n8n').map(([number]) => number);

	expect(numbers.length).toBeGreaterThan(25);
	expect(rows).toEqual(rows.map((_row, index) => String(index + 1)));
	expect(rows).toEqual(expect.arrayContaining(numbers));
});

it('docs/service-interface.md has all sections that the code cites', () => {
	const folders = ['credentials', 'nodes', 'emulator', 'scripts'];
	const code = folders.flatMap((folder) => filesIn(folder, '.ts').map(read)).join('\n');
	const cited = code
		.replaceAll(/\s*\n\s*(?:\*|\/\/)?\s*/g, ' ')
		.matchAll(/\(docs\/service-interface\.md, "(.*?)"\)/g);
	const sections = new Set([...cited].map(([, heading]) => heading));
	const headings = read('docs/service-interface.md').match(/(?<=^#+ ).*$/gm);

	expect(sections.size).toBeGreaterThan(8);
	expect(headings).toEqual(expect.arrayContaining([...sections]));
});
