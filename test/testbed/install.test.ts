import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { checkDisk, installOnce } from '../../testbed/n8n/install';

describe('an install', () => {
	let temporary: string;
	let directory: string;
	let count: number;

	beforeEach(async () => {
		temporary = await mkdtemp(path.join(tmpdir(), 'install-'));
		directory = path.join(temporary, 'n8n');
		count = 0;
		jest.spyOn(console, 'log').mockImplementation();
	});
	afterEach(async () => {
		jest.restoreAllMocks();
		await rm(temporary, { recursive: true });
	});

	const install = async (end?: Error) =>
		await installOnce(directory, 'n8n', 0, async (folder) => {
			count += 1;
			await writeFile(path.join(folder, `file-${count}`), '');
			if (end) throw end;
		});

	it('an install is made once', async () => {
		await install();
		await install();

		expect(await readdir(directory)).toEqual(['.complete', 'file-1']);
	});

	it('an install says how much disk is missing', async () => {
		await expect(checkDisk('n8n', 1e9, temporary)).rejects.toThrow(
			/^n8n needs 1000000000\.0 GB of disk, and .* has [\d.]+ GB left\. Make room/,
		);
	});

	it('an install is begun again after one that broke off', async () => {
		await expect(install(new Error('no network'))).rejects.toThrow('no network');
		await install();

		expect(await readdir(directory)).toEqual(['.complete', 'file-2']);
	});
});
