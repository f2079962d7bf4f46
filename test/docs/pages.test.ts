import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { PNG } from 'pngjs';
import { filesIn, PAGES, read, ROOT, type Page } from './pages';

const exists = (file: string) => existsSync(path.join(ROOT, file));
const seenFrom = (file: string, address: string) =>
	path.posix.join(path.posix.dirname(file), decodeURI(address));

const filesNamedIn = ({ codes }: Page) =>
	codes.filter((code) => /^[\w./-]+\.(ts|js|json|md|svg|yml)$/.test(code));

function isBroken(file: string, target: string): boolean {
	const [address = '', anchor] = target.split('#');
	const linked = address === '' ? file : seenFrom(file, address);
	const page = PAGES.find((each) => each.file === linked);
	return !exists(linked) || (anchor !== undefined && !page?.anchors.has(anchor));
}

it('links and names of files are found in the pages', () => {
	expect(PAGES.flatMap(({ targets }) => targets).length).toBeGreaterThan(100);
	expect(PAGES.flatMap(filesNamedIn).length).toBeGreaterThan(20);
});

it.each(PAGES)('$file has no broken links', ({ file, targets }) => {
	const local = targets.filter((target) => !/^[a-z]+:/.test(target));

	expect(local.filter((target) => isBroken(file, target))).toEqual([]);
});

it.each(PAGES)('$file names only files that exist', (page) => {
	const named = filesNamedIn(page);
	const node = 'nodes/Aquaculture/';
	const folders = ['', path.dirname(page.file), node, `${node}trigger/`, '.github/workflows/'];
	const isThere = (name: string) => folders.some((folder) => exists(path.join(folder, name)));

	expect(named.filter((name) => !isThere(name))).toEqual([]);
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

/** GitHub shrinks what is wider. */
const MAX_WIDTH = 850;
/** n8n's smallest letters have 12 pixels, and 11 can still be read. */
const MAX_SHRINKING = 12 / 11;

const PICTURES = PAGES.flatMap(({ file, text }) =>
	[...text.matchAll(/<img src="([^"]+)" width="(\d+)"/g)].map(([, source = '', shown]) => ({
		file,
		source,
		shown: Number(shown),
	})),
);

it.each(PICTURES)('$file shows $source large enough', ({ file, source, shown }) => {
	const { width } = PNG.sync.read(readFileSync(path.join(ROOT, seenFrom(file, source))));
	// Pictures have two pixels for each one of the page.
	const shrinking = width / 2 / shown;

	expect(shown).toBeLessThanOrEqual(MAX_WIDTH);
	expect(shrinking).toBeGreaterThanOrEqual(1);
	expect(shrinking).toBeLessThanOrEqual(MAX_SHRINKING);
});
