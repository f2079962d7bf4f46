import { Failure } from '../testbed/failure';

const NEEDED = ['AQUACULTURE_BASE_URL', 'AQUACULTURE_USERNAME', 'AQUACULTURE_PASSWORD'];

/**
 * The account with the real service that the environment names, as fields of a credential; undefined if it names none.
 *
 * @throws Failure that names what is missing of an account.
 */
export function accountFromEnvironment(): Record<string, string> | undefined {
	const { env } = process;
	const missing = NEEDED.filter((name) => !env[name]);
	if (missing.length === NEEDED.length) return undefined;
	if (missing.length > 0) {
		throw new Failure(`To read the real service, set ${missing.join(' and ')} too`);
	}
	const fields = {
		baseUrl: env.AQUACULTURE_BASE_URL,
		username: env.AQUACULTURE_USERNAME,
		password: env.AQUACULTURE_PASSWORD,
		versionHeader: env.AQUACULTURE_VERSION_HEADER,
		tokenVersion: env.AQUACULTURE_TOKEN_VERSION,
		dataVersion: env.AQUACULTURE_DATA_VERSION,
	};
	const filled = Object.entries(fields).filter(([, value]) => value);
	return Object.fromEntries(filled) as Record<string, string>;
}
