import { DEMO_ACCOUNT, UNLIMITED } from '../../emulator/server';

/** The fields of a credential for the demo account, for tests that send more than the operator allows. */
export function unlimitedAccount(baseUrl: string) {
	return { baseUrl, ...DEMO_ACCOUNT, ...UNLIMITED };
}
