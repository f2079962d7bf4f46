import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkDisk, installOnce, progress } from '../../testbed/n8n/install';

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
			await sleep(100);
			if (end) throw end;
		});

	it('an install waits for another one into the same folder, and leaves what that has made', async () => {
		await Promise.all([install(), install()]);

		expect(await readdir(directory)).toEqual(['.complete', 'file-1']);
		expect(await readdir(temporary)).toEqual(['n8n']);
	});

	it('an install says how much disk is missing', async () => {
		await expect(checkDisk('n8n', 1e9, temporary)).rejects.toThrow(
			/^n8n needs 1000000000\.0 GB of disk, and .* has [\d.]+ GB left\. Make room/,
		);
	});

	it('an install shows that it goes on while nothing is written', () => {
		expect(progress(200_000, 2.31, 4.6)).toBe(
			'at work for 3:20 minutes, 2.3 GB written, 4.6 GB at most',
		);
		expect(progress(210_000, 2.31, 4.6)).toContain('3:30 minutes');
		expect(progress(5000, -0.1, 4.6)).toContain('0:05 minutes, 0.0 GB');
	});

	it('an install is begun again after one that broke off', async () => {
		await expect(install(new Error('no network'))).rejects.toThrow('no network');
		await install();

		expect(await readdir(directory)).toEqual(['.complete', 'file-2']);
	});
});
