import { DEMO_ACCOUNT, UNLIMITED } from '../../emulator/server';

/** Returns a credential for the demo account without a request limit. */
export function unlimitedAccount(baseUrl: string) {
	return { baseUrl, ...DEMO_ACCOUNT, ...UNLIMITED };
}
