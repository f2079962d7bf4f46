import path from 'node:path';
import { filesIn, Page, read } from './pages';

it('docs/architecture.md lists all folders of sources, so that lint can check their imports', () => {
	const listed = new Page('docs/architecture.md').rowsOf('Folder').map(([folder]) => folder);
	const product = new Set(filesIn('nodes', '.ts').map((file) => path.posix.dirname(file)));
	const others = ['credentials', 'emulator', 'scripts', 'test', 'testbed'];

	expect([...listed].sort()).toEqual([...product, ...others].sort());
});

/** The entries of the list, the first one being 1. */
const LIST = read('docs/architecture.md').split('## What n8n does')[1] ?? '';
const BEHAVIOURS = [...LIST.matchAll(/^(\d+)\. (.+)$/gm)];

it('docs/architecture.md numbers what n8n does without a gap', () => {
	const numbers = BEHAVIOURS.map(([, number]) => Number(number));

	expect(numbers.length).toBeGreaterThan(20);
	expect(numbers).toEqual(numbers.map((_, index) => index + 1));
});

it('each number of that list in the code is that of an entry with this file', () => {
	const wrong = filesIn('nodes', '.ts').flatMap((file) => {
		const references = [...read(file).matchAll(/docs\/architecture\.md, n8n ([\d, and]+)/g)];
		const numbers = references.flatMap(([, list = '']) => list.match(/\d+/g) ?? []);
		const name = file.replace('nodes/Aquaculture/', '');
		return numbers
			.filter((number) => !BEHAVIOURS[Number(number) - 1]?.[2]?.includes(`\`${name}\``))
			.map((number) => `${name}: n8n ${number}`);
	});

	expect(wrong).toEqual([]);
});
