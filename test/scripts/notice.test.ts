import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Metafile } from 'esbuild';
import { buildNotice } from '../../scripts/notice';
import { useTemporaryFolder } from '../../testbed/jest/useTemporaryFolder';

describe('the notice', () => {
	const temporaryFolder = useTemporaryFolder();

	/** Installs a package, and returns a file of it. */
	function install(name: string, license: string | undefined, files: Record<string, string>) {
		const place = path.join(temporaryFolder(), 'node_modules', name);
		const manifest = JSON.stringify({ name: path.basename(name), version: '1.2.3', license });
		mkdirSync(place, { recursive: true });
		for (const [file, text] of Object.entries({ 'package.json': manifest, ...files })) {
			writeFileSync(path.join(place, file), text);
		}
		return `${place}/lib/index.js`;
	}

	const notice = (bytesInBundle: Record<string, number>) => {
		const inputs = Object.fromEntries(
			Object.entries(bytesInBundle).map(([file, bytesInOutput]) => [file, { bytesInOutput }]),
		);
		return buildNotice({ outputs: { 'dist/bundle.js': { inputs } } } as unknown as Metafile);
	};

	it('lists name, version and texts of all bundled packages, including nested ones', () => {
		const b = install('b', 'Apache-2.0', {
			LICENSE: 'Of b\r\nto its end\r\n',
			'NOTICE.txt': 'By b',
		});
		const a = install('b/node_modules/@scope/a', 'MIT', { 'licence.md': '\nOf a' });
		const unused = install('unused', 'GPL-3.0-only', {});

		expect(notice({ 'nodes/node.ts': 100, [b]: 100, [a]: 100, [unused]: 0 })).toBe(
			['bundle.js contains code of these packages.\n']
				.concat('b 1.2.3 (Apache-2.0)\n\nOf b\nto its end\n\nBy b\n', 'a 1.2.3 (MIT)\n\nOf a\n')
				.join(`\n${'-'.repeat(80)}\n\n`),
		);
	});

	it.each([
		['(MIT OR GPL-3.0-only)', 'LICENSE', 'its licence is (MIT OR GPL-3.0-only)'],
		[undefined, 'LICENSE', 'its licence is undefined'],
		['MIT', 'NOTICE', 'it has no text of its licence'],
	])('refuses a package with the licence %s and the file %s', (license, file, reason) => {
		const odd = install('odd', license, { [file]: 'Text' });

		expect(() => notice({ [odd]: 1 })).toThrow(`odd 1.2.3 cannot be bundled: ${reason}`);
	});
});
