import { UserFacingError } from '../../testbed/userFacingError';

const NEEDED = ['AQUACULTURE_BASE_URL', 'AQUACULTURE_USERNAME', 'AQUACULTURE_PASSWORD'];

/**
 * Reads an account of the real service from the environment, as fields of a credential.
 *
 * @returns undefined if no variable is set.
 * @throws UserFacingError if some are missing.
 */
export function accountFromEnvironment(): Record<string, string> | undefined {
	const { env } = process;
	const missing = NEEDED.filter((name) => !env[name]);
	if (missing.length === NEEDED.length) return undefined;
	if (missing.length > 0) {
		throw new UserFacingError(`To read the real service, set ${missing.join(' and ')} too`);
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
