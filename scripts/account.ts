import { Failure } from '../testbed/failure';

/**
 * The account with the real service that the environment names, as fields of a credential; undefined if it names none.
 *
 * @throws Failure that names what is missing of an account.
 */
export function accountFromEnvironment(): Record<string, string> | undefined {
	const { env } = process;
	const account = {
		AQUACULTURE_BASE_URL: env.AQUACULTURE_BASE_URL,
		AQUACULTURE_USERNAME: env.AQUACULTURE_USERNAME,
		AQUACULTURE_PASSWORD: env.AQUACULTURE_PASSWORD,
	};
	const missing = Object.entries(account)
		.filter(([, value]) => !value)
		.map(([name]) => name);
	if (missing.length === Object.keys(account).length) return undefined;
	if (missing.length > 0) {
		throw new Failure(`To read the real service, set ${missing.join(' and ')} too`);
	}
	return definedOnly({
		baseUrl: account.AQUACULTURE_BASE_URL,
		username: account.AQUACULTURE_USERNAME,
		password: account.AQUACULTURE_PASSWORD,
		versionHeader: env.AQUACULTURE_VERSION_HEADER,
		tokenVersion: env.AQUACULTURE_TOKEN_VERSION,
		dataVersion: env.AQUACULTURE_DATA_VERSION,
		siteListAddress: env.AQUACULTURE_SITE_LIST_ADDRESS,
	});
}

function definedOnly(values: Record<string, string | undefined>): Record<string, string> {
	return Object.fromEntries(
		Object.entries(values).filter((entry): entry is [string, string] => Boolean(entry[1])),
	);
}
