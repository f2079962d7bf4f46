import { Emulator, type EmulatorSettings } from '../../emulator/server';
import { N8nInstance } from '../n8n/instance';
import { useCleanup } from './useCleanup';

/**
 * Starts an emulator and an n8n for the tests of the file or block. Afterwards, checks that n8n has logged no warnings about
 * the package.
 *
 * @param settings of the emulator.
 * @param env settings of n8n.
 */
export function useN8n(settings: Partial<EmulatorSettings> = {}, env: NodeJS.ProcessEnv = {}) {
	const cleanup = useCleanup();
	const emulator = new Emulator(settings);
	const n8n = new N8nInstance();
	const stop = async () => expect(await n8n.home.getWarnings()).toEqual([]);
	beforeAll(async () => {
		await cleanup.use(emulator.start());
		await n8n.start(cleanup, env);
		await cleanup.use(Promise.resolve({ stop }));
	});
	return { cleanup, emulator, n8n };
}
