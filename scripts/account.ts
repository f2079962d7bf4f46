import { Failure } from '../testbed/failure';

const NEEDED = ['AQUACULTURE_BASE_URL', 'AQUACULTURE_USERNAME', 'AQUACULTURE_PASSWORD'];

/** The fields of a credential, by the names that they have in the environment. */
const FIELDS = {
	AQUACULTURE_BASE_URL: 'baseUrl',
	AQUACULTURE_USERNAME: 'username',
	AQUACULTURE_PASSWORD: 'password',
	AQUACULTURE_VERSION_HEADER: 'versionHeader',
	AQUACULTURE_TOKEN_VERSION: 'tokenVersion',
	AQUACULTURE_DATA_VERSION: 'dataVersion',
	AQUACULTURE_SITE_LIST_ADDRESS: 'siteListAddress',
};

/**
 * The account with the real service that the environment names, as fields of a credential; undefined if it names none.
 *
 * @throws Failure that names what is missing of an account.
 */
export function accountFromEnvironment(): Record<string, string> | undefined {
	const missing = NEEDED.filter((name) => !process.env[name]);
	if (missing.length === NEEDED.length) return undefined;
	if (missing.length > 0) {
		throw new Failure(`To read the real service, set ${missing.join(' and ')} too`);
	}
	const account: Record<string, string> = {};
	for (const [name, field] of Object.entries(FIELDS)) {
		const value = process.env[name];
		if (value) account[field] = value;
	}
	return account;
}
