import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { run } from '../command';

const POSTGRESQL_VERSIONS = '/usr/lib/postgresql';

/** Paths of programs and fonts by their Debian package. */
const PROGRAMS = {
	chromium: () => '/usr/bin/chromium',
	'fonts-dejavu-core': () => '/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf',
	'redis-server': () => '/usr/bin/redis-server',
	postgresql: () => path.join(newestPostgresql(), 'bin/postgres'),
};

/** Returns the path of a package's main program. */
export function programPath(name: keyof typeof PROGRAMS): string {
	return PROGRAMS[name]();
}

/** Installs missing packages. @throws Error that names them if this process does not run as root. */
export async function installPrograms(): Promise<void> {
	const names = Object.keys(PROGRAMS) as Array<keyof typeof PROGRAMS>;
	const missing = names.filter((name) => !existsSync(programPath(name)));
	if (missing.length === 0) return;
	if (process.getuid?.() !== 0) {
		throw new Error(`Install what is missing: sudo apt-get install ${missing.join(' ')}`);
	}
	console.log(`Installing ${missing.join(', ')}`);
	const env = { DEBIAN_FRONTEND: 'noninteractive' };
	await run('apt-get', ['update', '--quiet'], { quiet: true });
	await run('apt-get', ['install', '--yes', '--no-install-recommends', ...missing], {
		env,
		quiet: true,
	});
}

function newestPostgresql(): string {
	const versions = existsSync(POSTGRESQL_VERSIONS) ? readdirSync(POSTGRESQL_VERSIONS) : [];
	const [newest = ''] = versions.sort((one, other) => Number(other) - Number(one));
	return path.join(POSTGRESQL_VERSIONS, newest);
}
