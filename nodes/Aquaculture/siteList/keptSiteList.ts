import type { SiteList } from '../../../api/siteList';
import type { Connection } from '../../../shared/connection';
import { digest } from '../../../shared/digest';
import { MINUTE_MS } from '../../../shared/duration';
import { LastUsed } from '../../../shared/lastUsed';
import type { Outcome } from '../transport/outcome';

/** For how long a list is used without asking for it again. */
const CURRENT_MS = 10 * MINUTE_MS;
/** A list younger than this is not asked for again, even where it lacks a name that somebody uses. */
const FRESH_MS = MINUTE_MS;

const MAX_LISTS = 20;

/** A list of sites of the service, as this process keeps it for all executions. */
export class KeptSiteList {
	private kept: { list: SiteList; readAt: number } | undefined;

	private request: Promise<Outcome<SiteList>> | undefined;

	/** The list as it was read last, however long ago. */
	get last(): SiteList | undefined {
		return this.kept?.list;
	}

	/** Whether it can be used as it is. */
	get isCurrent(): boolean {
		return this.ageMs < CURRENT_MS;
	}

	/** Whether it was read so recently that reading it again is not worth a request. */
	get isFresh(): boolean {
		return this.ageMs < FRESH_MS;
	}

	get isBeingRead(): boolean {
		return this.request !== undefined;
	}

	private get ageMs(): number {
		return this.kept ? performance.now() - this.kept.readAt : Infinity;
	}

	/** Reads the list, or waits for whoever is reading it. */
	async refresh(read: () => Promise<Outcome<SiteList>>): Promise<Outcome<SiteList>> {
		this.request ??= this.readAndKeep(read);
		return await this.request;
	}

	private async readAndKeep(read: () => Promise<Outcome<SiteList>>): Promise<Outcome<SiteList>> {
		try {
			const outcome = await read();
			if (outcome.value) this.kept = { list: outcome.value, readAt: performance.now() };
			return outcome;
		} finally {
			this.request = undefined;
		}
	}
}

const lists = new LastUsed(
	MAX_LISTS,
	() => new KeptSiteList(),
	({ isBeingRead }) => !isBeingRead,
);

/** The list of a connection, for everybody who logs in and asks in the same way. */
export function keptSiteListOf({
	baseUrl,
	username,
	password,
	versionHeader,
	dataVersion,
	siteListPath,
}: Connection): KeptSiteList {
	return lists.get(
		digest([baseUrl, username, password, versionHeader, dataVersion, siteListPath ?? '']),
	);
}
