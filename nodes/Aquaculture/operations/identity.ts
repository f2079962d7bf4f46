import { siteNames } from '../fields/knownSites';
import type { ReadField } from './operation';

/** What error items say of a site: its ID, and the name by which the credential knows it. */
export function identityOf(read: ReadField, siteId: number | null) {
	const siteName = siteId === null ? undefined : read(siteNames).get(siteId);
	return { siteId, siteName: siteName ?? null };
}
