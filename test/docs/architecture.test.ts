import path from 'node:path';
import { filesIn, Page, read } from './pages';

it('docs/architecture.md lists all folders of sources, so that lint can check their imports', () => {
	const listed = new Page('docs/architecture.md').rowsOf('Folder').map(([folder]) => folder);
	const product = new Set(filesIn('nodes', '.ts').map((file) => path.posix.dirname(file)));
	const others = ['credentials', 'emulator', 'scripts', 'test', 'testbed'];

	expect([...listed].sort()).toEqual([...product, ...others].sort());
});

it('each file that the list of what n8n does names exists', () => {
	const [, list = ''] = read('docs/architecture.md').split('## What n8n does');
	const files = filesIn('nodes', '.ts').map((file) => file.replace('nodes/Aquaculture/', ''));
	const named = [...list.matchAll(/`([\w/.]+\.ts)`/g)].map(([, file = '']) => file);

	expect(named.length).toBeGreaterThan(20);
	expect(named.filter((file) => !files.includes(file))).toEqual([]);
});
