import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Creates an empty folder before each test, and removes it after the test. @returns its path. */
export function useTemporaryFolder(): () => string {
	let folder: string;
	beforeEach(async () => {
		folder = await mkdtemp(path.join(tmpdir(), 'test-'));
	});
	afterEach(async () => await rm(folder, { recursive: true }));
	return () => folder;
}
