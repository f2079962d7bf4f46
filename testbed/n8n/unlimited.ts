import { DEMO_ACCOUNT } from '../../emulator/server';

/** Returns a credential for the demo account with the highest request limit. */
export function unlimitedAccount(baseUrl: string) {
	return { baseUrl, ...DEMO_ACCOUNT, requestsPerMinute: 10_000 };
}
