import type { SiteList } from '../../../api/siteList';
import type { Failure } from '../transport/failure';
import type { Outcome } from '../transport/outcome';
import type { RequestLimits } from '../transport/retryingReader';
import type { Transport } from '../transport/transport';
import { keptSiteListOf, type KeptSiteList } from './keptSiteList';
import { readSiteList } from './readSiteList';

/**
 * The service's list of sites for one execution or poll: as it is kept, or else as the service sends it. A kept one that is
 * not enough is read again, once.
 */
export class SiteListSupply {
	private supplied: SiteList | undefined;

	private failure: Failure | undefined;

	private hasRead = false;

	private readonly kept: KeptSiteList | undefined;

	/** @param limits how the list is read. */
	constructor(
		private readonly transport: Transport,
		private readonly limits: RequestLimits,
	) {
		const { connection } = transport;
		if (connection.siteListPath !== undefined) this.kept = keptSiteListOf(connection);
	}

	/** Whether the service has more sites than the list that was supplied. */
	get isPartial(): boolean {
		return this.supplied?.isWhole === false;
	}

	/** The list as it was read last, however long ago and for whom. */
	get last(): SiteList | undefined {
		return this.kept?.last;
	}

	/**
	 * The list, or a newer one than it has supplied before.
	 *
	 * @returns undefined where there is none to be had; the same failure each time once the list could not be read.
	 */
	async next(): Promise<Outcome<SiteList> | undefined> {
		const { kept, supplied } = this;
		if (!kept) return undefined;
		if (this.failure) return { failure: this.failure };
		const hasNews = kept.isCurrent && kept.last !== supplied;
		if (!hasNews) {
			if (supplied && (this.hasRead || kept.isFresh)) return undefined;
			this.hasRead = true;
			const { failure } = await readSiteList(this.transport, this.limits, kept);
			this.failure = failure;
			if (failure) return { failure };
		}
		this.supplied = kept.last;
		return this.supplied && { value: this.supplied };
	}
}
