import type { SiteList } from '../../../service/siteListAnswer';
import { readKnownSites, type KnownSite, type KnownSites } from '../../../account/knownSites';
import type { KnownSiteFault } from '../../../texts/fieldFaults';
import type { Outcome } from '../requests/outcome';
import type { RequestLimits } from '../requests/retryingReader';
import type { Transport } from '../requests/transport';
import { isKnown, type ListEntry, type Finder, type NamedSite } from './finder';
import { serviceListOf, type ListFailure, type ServiceList } from './serviceList';
import { SimilarNames } from './similarNames';
import { SiteIndex } from './siteIndex';

/** How a directory reads the service's list. */
interface ListReading {
	transport: Transport;
	limits: RequestLimits;
	/** The sites to go on with if no list was ever read; without it, nothing can be looked up if the list cannot be read. */
	fallback?: () => readonly KnownSite[];
}

/**
 * The sites of a credential: those entered in 'Known Sites', then those that the service lists. The list is read when a look-up
 * first needs it. It serves one execution or poll.
 */
export class SiteDirectory {
	private readonly known: KnownSites;

	private readonly entered: SiteIndex;

	/** Undefined as long as the list was not needed. */
	private listed: SiteIndex | undefined;

	private readonly serviceList: ServiceList | undefined;

	private hasRead = false;

	private readonly similar = new SimilarNames();

	/** The list that is used. */
	list: SiteList | undefined;

	/** Why the list could not be read. */
	failure: ListFailure | undefined;

	constructor(
		knownSites: unknown,
		private readonly reading?: ListReading,
	) {
		this.known = readKnownSites(knownSites);
		this.entered = new SiteIndex(this.known.sites);
		const connection = reading?.transport.account.connection;
		if (connection?.siteListPath !== undefined) this.serviceList = serviceListOf(connection);
	}

	/** Whether the service's list is one of its sources. */
	get hasList(): boolean {
		return this.serviceList !== undefined;
	}

	/** Whether no site can be known: none was entered, and there is no list. */
	get isEmpty(): boolean {
		return !this.hasList && this.known.sites.length === 0;
	}

	/** The lines of 'Known Sites' that cannot be used, so that their sites are not known. */
	get linesLeftOut(): readonly KnownSiteFault[] {
		return this.known.faults.filter(({ isLeftOut }) => isLeftOut);
	}

	/** The site of this ID, with the name that it was entered with. */
	named(siteId: number): NamedSite {
		return { siteId, siteName: this.entered.nameOf(siteId) };
	}

	/** All sites: those entered, then the others of the list. */
	async all(): Promise<Outcome<NamedSite[], ListFailure>> {
		await this.needList();
		if (this.failure && !this.reading?.fallback) return { failure: this.failure };
		const { sites } = this;
		return sites.length === 0 && this.failure ? { failure: this.failure } : { value: sites };
	}

	/** The sites that are known by now, as {@link all}. */
	get sites(): NamedSite[] {
		const siteIds = new Set(this.indexes.flatMap((index) => index.siteIds));
		return [...siteIds].map((siteId) => this.withName(siteId));
	}

	/**
	 * Looks up what was typed: first among the sites that were entered, then in the list as well, then in a newer list, and at
	 * last without accents, if exactly one site fits.
	 *
	 * @param read what was typed, as far as a finder knows the sites.
	 * @returns the failure of the list if it may hold what is not known.
	 */
	async lookUp(read: (finder: Finder) => ListEntry[]): Promise<Outcome<ListEntry[]>> {
		const readWith = (find: (text: string) => readonly number[]) =>
			read({
				named: (siteId) => this.named(siteId),
				find: (text) => find(text).map((siteId) => this.withName(siteId)),
			});
		let entries = readWith((text) => this.entered.find(text));
		if (entries.every(isKnown)) return { value: entries };
		if (await this.needList()) entries = readWith((text) => this.find(text));
		if (entries.every(isKnown)) return { value: entries };
		if (await this.renewList()) entries = readWith((text) => this.find(text));
		if (entries.every(isKnown)) return { value: entries };
		if (this.failure && !this.reading?.fallback) return { failure: this.failure };
		entries = readWith((text) => this.findPlain(text));
		return this.failure && !entries.every(isKnown) ? { failure: this.failure } : { value: entries };
	}

	/** Names that were probably meant. */
	similarNames(text: string): string[] {
		const names = this.sites.flatMap(({ siteName }) => siteName ?? []);
		return this.similar.to(text, names);
	}

	/** In the order in which they count. */
	private get indexes(): SiteIndex[] {
		return this.listed ? [this.entered, this.listed] : [this.entered];
	}

	private withName(siteId: number): NamedSite {
		const siteName = this.entered.nameOf(siteId) ?? this.listed?.nameOf(siteId) ?? null;
		return { siteId, siteName };
	}

	private find(text: string): readonly number[] {
		const entered = this.entered.find(text);
		return entered.length > 0 ? entered : (this.listed?.find(text) ?? []);
	}

	private findPlain(text: string): readonly number[] {
		const found = this.find(text);
		if (found.length > 0) return found;
		const plain = new Set(this.indexes.flatMap((index) => index.findPlain(text)));
		return plain.size === 1 ? [...plain] : [];
	}

	/** @returns whether there is a list, or what takes its place. */
	private async needList(): Promise<boolean> {
		const { serviceList } = this;
		if (!serviceList) return false;
		if (this.listed) return true;
		if (serviceList.isCurrent) this.add(serviceList.last);
		else if (!this.failure) await this.read(serviceList);
		return this.listed !== undefined;
	}

	/** @returns whether there is a newer list. */
	private async renewList(): Promise<boolean> {
		const { serviceList } = this;
		if (!serviceList || this.hasRead || serviceList.isFresh) return false;
		await this.read(serviceList);
		return this.failure === undefined;
	}

	private async read(serviceList: ServiceList): Promise<void> {
		const { reading } = this;
		if (!reading) return;
		this.hasRead = true;
		const { value, failure } = await serviceList.read(reading.transport, reading.limits);
		this.failure = failure;
		const last = value ?? (reading.fallback && serviceList.last);
		if (last) this.add(last);
		else if (reading.fallback) this.listed = new SiteIndex(reading.fallback());
	}

	/** A newer list adds to an older one: what was found in it stays the same within the execution. */
	private add(list: SiteList | undefined): void {
		const before = this.list?.sites ?? [];
		const known = new Set(before.map(({ siteId }) => siteId));
		const added = (list?.sites ?? []).filter(({ siteId }) => !known.has(siteId));
		this.listed = new SiteIndex([...before, ...added]);
		this.list = list && { ...list, sites: [...before, ...added] };
	}
}
