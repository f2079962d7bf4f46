import { Cleanup } from '../cleanup';

/** Creates a cleanup that runs after the tests of the file or block, also when jest is interrupted. */
export function useCleanup(): Cleanup {
	const cleanup = new Cleanup();
	const run = async () => await cleanup.run();
	onTeardown(run);
	afterAll(run);
	return cleanup;
}
