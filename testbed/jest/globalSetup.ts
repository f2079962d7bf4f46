import { install } from '../n8n/install';
import { VERSIONS } from '../n8n/versions';
import { installPrograms } from '../servers/programs';

/** Makes everything that the tests in a real n8n need available: Debian's programs, then each version of n8n. */
export default async function installAll(): Promise<void> {
	await installPrograms();
	for (const version of VERSIONS) await install(version);
}
