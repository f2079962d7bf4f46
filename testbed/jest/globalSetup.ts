import { install } from '../n8n/install';
import { VERSIONS } from '../n8n/versions';
import { installPrograms } from '../servers/programs';

/** Installs Debian's programs and each version of n8n. */
export default async function installAll(): Promise<void> {
	await installPrograms();
	for (const version of VERSIONS) await install(version);
}
