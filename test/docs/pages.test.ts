import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import manifest from '../../package.json';
import { COMMUNITY_PAGES, PAGES, plainText, ROOT } from './pages';

/** What a code block may hold; each kind is looked at by a test of its own. */
const KINDS: Record<string, string> = {
	sh: 'commands.test.ts',
	json: 'outputs.test.ts',
	ts: 'addAnEndpoint.test.ts',
	diff: 'addAnEndpoint.test.ts',
	mermaid: 'architecture.test.ts',
	csv: '../n8n/examples.test.ts',
	dockerfile: 'administrators.test.ts',
};

const FOLDERS =
	/^(?:\.github|account|api|credentials|docs|emulator|examples|http|icons|nodes|scripts|test|testbed|texts|tools)\/[\w./-]+$/;

describe.each([...PAGES, ...COMMUNITY_PAGES])('$file', (page) => {
	const pathOf = (target: string) => path.join(path.dirname(page.file), decodeURI(target));
	const local = page.targets.filter((target) => !/^[a-z]+:/.test(target));

	it('has code blocks of the kinds that are checked', () => {
		const unknown = page.blocks.filter(({ language }) => !Object.hasOwn(KINDS, language));
		expect(unknown.map(({ place, language }) => `${place} is "${language}"`)).toEqual([]);
		for (const { language } of page.blocks) {
			expect(existsSync(path.join(__dirname, KINDS[language] ?? ''))).toBe(true);
		}
	});

	it('links to files and headings that are there', () => {
		const broken = local.filter((target) => {
			const [file = '', anchor] = target.split('#');
			const linked = file === '' ? page : PAGES.find((other) => other.file === pathOf(file));
			if (file !== '' && !existsSync(path.join(ROOT, pathOf(file)))) return true;
			return anchor !== undefined && !linked?.anchors.has(anchor);
		});
		expect(broken).toEqual([]);
	});

	it('names files of the repository that are there', () => {
		const missing = page.codes
			.filter((code) => FOLDERS.test(code))
			.filter((code) => !existsSync(path.join(ROOT, code)));
		// A page that shows how to add files may name them.
		const added = page.blocks.map(({ announced }) => announced);
		expect(missing.filter((code) => !added.includes(code))).toEqual([]);
	});
});

it('the changelog begins with what is new, and then has the version of the package once one is released', () => {
	const changelog = readFileSync(path.join(ROOT, 'CHANGELOG.md'), 'utf8');
	const [first, second = manifest.version] = [...changelog.matchAll(/^## \[(.*?)\]/gm)].map(
		([, version]) => version,
	);

	expect([first, second]).toEqual(['Unreleased', manifest.version]);
});

it('no cell of a table has more than 60 words', () => {
	const rows = PAGES.flatMap(({ tables }) => tables.flatMap((table) => table.rows));
	const cells = rows.flat().map((cell) => plainText(cell));

	expect(cells.length).toBeGreaterThan(500);
	expect(cells.filter((text) => text.split(/\s+/).length > 60)).toEqual([]);
});

it('each picture and each page is shown somewhere', () => {
	const shown = PAGES.flatMap(({ file, targets }) =>
		targets.map((target) => path.join(path.dirname(file), target.split('#')[0] ?? '')),
	);
	const pictures = readdirSync(path.join(ROOT, 'docs/images')).map((file) => `docs/images/${file}`);
	const pages = PAGES.map(({ file }) => file).filter((file) => file !== 'README.md');

	expect([...pictures, ...pages].filter((file) => !shown.includes(file))).toEqual([]);
});

describe('docs/service-interface.md', () => {
	const folders = ['account', 'service', 'texts', 'credentials', 'nodes', 'emulator', 'scripts'];
	const cited = folders.flatMap((folder) =>
		readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
			.filter((file) => file.endsWith('.ts'))
			.map((file) => readFileSync(path.join(ROOT, folder, file), 'utf8'))
			// A comment may go on in the next line.
			.map((text) => text.replaceAll(/\s*\n\s*(?:\*|\/\/)?\s*/g, ' '))
			.flatMap((text) => [...text.matchAll(/\(docs\/service-interface\.md, "(.*?)"\)/g)])
			.map(([, heading]) => heading),
	);
	const text = readFileSync(path.join(ROOT, 'docs/service-interface.md'), 'utf8');
	const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading);

	it('has each section that the code cites', () => {
		expect(cited.length).toBeGreaterThan(10);
		expect([...new Set(cited)].filter((heading) => !headings.includes(heading))).toEqual([]);
	});
});
