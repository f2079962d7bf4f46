import manifest from '../../package.json';
import { Page } from './pages';

it('docs/maintaining.md says what each dependency is for', () => {
	const rows = new Page('docs/maintaining.md').rowsOf('Package');
	const listed = rows.flatMap(([packages = '']) => packages.split(', '));

	expect(listed.sort()).toEqual(Object.keys(manifest.devDependencies).sort());
});
