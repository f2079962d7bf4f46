import path from 'node:path';
import { filesIn, Page } from './pages';

it('docs/architecture.md lists all folders of sources, so that lint can check their imports', () => {
	const listed = new Page('docs/architecture.md').rowsOf('Folder').map(([folder]) => folder);
	const product = new Set(filesIn('nodes', '.ts').map((file) => path.posix.dirname(file)));
	const others = ['credentials', 'emulator', 'scripts', 'test', 'testbed'];

	expect([...listed].sort()).toEqual([...product, ...others].sort());
});
