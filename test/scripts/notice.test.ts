import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Metafile } from 'esbuild';
import { noticeOf } from '../../scripts/notice';

describe('the notice of what is bundled', () => {
	let folder: string;
	const inBundle: Record<string, number> = {};

	const install = (name: string, license: string | undefined, files: Record<string, string>) => {
		const place = path.join(folder, 'node_modules', name);
		const manifest = JSON.stringify({ name: path.basename(name), version: '1.2.3', license });
		mkdirSync(place, { recursive: true });
		for (const [file, text] of Object.entries({ 'package.json': manifest, ...files })) {
			writeFileSync(path.join(place, file), text);
		}
		inBundle[`${place}/lib/index.js`] = 100;
	};
	const notice = () => {
		const files = Object.entries({ 'nodes/node.ts': 100, ...inBundle });
		const inputs = Object.fromEntries(
			files.map(([file, bytesInOutput]) => [file, { bytesInOutput }]),
		);
		return noticeOf({ outputs: { 'dist/node.js': { inputs } } } as unknown as Metafile);
	};

	beforeEach(() => {
		folder = mkdtempSync(path.join(tmpdir(), 'notice-'));
	});
	afterEach(() => {
		rmSync(folder, { recursive: true });
		for (const file of Object.keys(inBundle)) delete inBundle[file];
	});

	it('the notice of what is bundled has name, version and texts of each package, also of one inside of another', () => {
		install('b', 'Apache-2.0', {
			LICENSE: 'Text of b\r\nto its end\r\n',
			'NOTICE.txt': 'Made by b',
		});
		install('b/node_modules/@scope/a', 'MIT', { 'licence.md': '\nText of a' });

		expect(notice().split(/\n-{80}\n\n/)).toEqual([
			'bundle.js contains code of these packages.\n',
			'b 1.2.3 (Apache-2.0)\n\nText of b\nto its end\n\nMade by b\n',
			'a 1.2.3 (MIT)\n\nText of a\n',
		]);
	});

	it('the notice of what is bundled leaves out what is not in a bundle in the end', () => {
		install('unused', 'GPL-3.0-only', {});
		for (const file of Object.keys(inBundle)) inBundle[file] = 0;

		expect(notice()).not.toContain('unused');
	});

	it.each([
		['GPL-3.0-only', 'LICENSE', 'its licence is GPL-3.0-only'],
		['(MIT OR GPL-3.0-only)', 'LICENSE', 'its licence is (MIT OR GPL-3.0-only)'],
		[undefined, 'LICENSE', 'its licence is undefined'],
		['MIT', 'NOTICE', 'it has no text of its licence'],
	])(
		'the notice of what is bundled refuses the licence %s with the file %s',
		(license, file, reason) => {
			install('odd', license, { [file]: 'Text' });

			expect(notice).toThrow(`odd 1.2.3 cannot be bundled: ${reason}`);
		},
	);
});
