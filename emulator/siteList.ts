import type { StoredSite } from './sites';

/** The forms in which the emulator can list its sites. Neither is the service's, of which nothing is known. */
export const LIST_SHAPES = ['flat', 'nested'] as const;

export type ListShape = (typeof LIST_SHAPES)[number];

export interface SiteListSettings {
	/** Below the base URL. */
	path: string;
	/** A list of sites; or regions with sites in them, whose IDs are texts, beside other fields. */
	shape?: ListShape;
}

const REGIONS = ['North', 'South'];

/** The body of a list of sites. */
export function listSites(sites: readonly StoredSite[], shape: ListShape = 'flat'): unknown {
	if (shape === 'flat') return sites.map(({ siteId, siteName }) => ({ siteId, siteName }));
	const half = Math.ceil(sites.length / 2);
	return {
		count: sites.length,
		next: null,
		regions: REGIONS.map((region, index) => ({
			region,
			sites: sites.slice(index * half, (index + 1) * half).map(({ siteId, siteName, units }) => ({
				siteId: String(siteId),
				siteName,
				units: units?.map(({ unitId }) => ({ unitId, siteId: 0 })),
			})),
		})),
	};
}
