import { Emulator, type EmulatorSettings } from '../../emulator/server';
import { hasExited } from '../command';
import { N8nInstance } from '../n8n/instance';
import { useCleanup } from './useCleanup';

/**
 * Starts an emulator and an n8n for the tests of the file or block. Afterwards, checks that n8n has logged no warnings about
 * the package. After each test, starts n8n again if the test has left it stopped, and ends the polls that it has begun.
 *
 * @param settings of the emulator.
 * @param env settings of n8n.
 */
export function useN8n(settings: Partial<EmulatorSettings> = {}, env: NodeJS.ProcessEnv = {}) {
	const cleanup = useCleanup();
	const emulator = new Emulator(settings);
	const n8n = new N8nInstance();
	const active: string[] = [];
	/** Activates a workflow until the test is over. @returns why n8n cannot activate it, if so. */
	const activate = async (workflow: string) => {
		active.push(workflow);
		return await n8n.activate(workflow);
	};
	const stop = async () => expect(await n8n.home.getWarnings()).toEqual([]);
	beforeAll(async () => {
		await cleanup.use(emulator.start());
		await n8n.start(cleanup, env);
		await cleanup.use(Promise.resolve({ stop }));
	});
	afterEach(async () => {
		if (hasExited(n8n.home.process)) await n8n.restart();
		for (const workflow of active.splice(0)) await n8n.deactivate(workflow);
	});
	return { cleanup, emulator, n8n, activate };
}
