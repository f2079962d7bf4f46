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

it('each file that the list names exists', () => {
	const files = filesIn('nodes', '.ts').map((file) => file.replace('nodes/Aquaculture/', ''));
	const named = [...LIST.matchAll(/`([\w/.]+\.ts)`/g)].map(([, file = '']) => file);

	expect(named.length).toBeGreaterThan(20);
	expect(named.filter((file) => !files.includes(file))).toEqual([]);
});
