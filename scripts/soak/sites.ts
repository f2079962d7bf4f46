import { madeUpSite, type StoredSite } from '../../emulator/sites';

/** The sites that the service of a soak keeps for its calls. */
export const SERVED_SITES: readonly number[] = Array.from(
	{ length: 200 },
	(_, index) => 100_001 + index,
);

/** The service does not know them. */
export const UNKNOWN_SITES = [4040, 4041, 4042];

/** The service never has time for it. */
export const UNAVAILABLE_SITE = 5030;

/** The account may not read it. */
export const FORBIDDEN_SITE = 4030;

/** The one that the trigger watches. */
export const WATCHED_SITE = 9001;

export const STORED_SITES: readonly StoredSite[] = [
	...SERVED_SITES,
	UNAVAILABLE_SITE,
	FORBIDDEN_SITE,
	WATCHED_SITE,
].map(madeUpSite);
