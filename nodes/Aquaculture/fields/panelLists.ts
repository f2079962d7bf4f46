import type {
	ILoadOptionsFunctions,
	INodeListSearchResult,
	INodePropertyOptions,
	NodeOperationError,
} from 'n8n-workflow';
import { systemClock } from '../account/clock';
import { abortedAfter } from '../service/retry';
import { labelOf, type NamedSite } from '../service/site';
import { isEmpty } from '../input/values';
import { SECOND_MS } from '../messages/duration';
import { MESSAGES, SENTENCES, type FailureText } from '../messages/messages';
import { inputError } from '../requests/errors';
import { FRESH_MS, searchKey, Sites } from '../input/sites';

/* The lists of sites that the panel offers. */

/** A person is waiting for the list to open. */
const LONGEST_MS = 12 * SECOND_MS;

/** The list of a resource locator: sites whose name or ID contains what is typed, with or without accents. */
export async function searchKnownSites(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const key = searchKey(filter);
	return { results: await optionsFor(this, (site) => searchKey(labelOf(site)).includes(key)) };
}

/** The list of a field in which several sites are chosen. */
export async function listKnownSites(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	return await optionsFor(this, () => true);
}

/** The known sites by their names, or where to enter them; its value is empty then. */
async function optionsFor(
	context: ILoadOptionsFunctions,
	isOffered: (site: NamedSite) => boolean,
): Promise<Array<{ name: string; value: number | '' }>> {
	const { knownSites, siteListAddress } = await context.getCredentials('aquacultureApi');
	let sites = new Sites(knownSites, !isEmpty(siteListAddress));
	const failure = sites.hasList ? await load(context, sites) : undefined;
	if (failure) {
		sites = new Sites(knownSites, false);
		// The message is all that n8n shows.
		if (sites.isEmpty)
			throw inputError(context.getNode(), SENTENCES.failed(undefined, failure), '');
	}
	if (sites.isEmpty) return [{ name: MESSAGES.node.noSites(), value: '' }];
	return sites
		.all()
		.filter(isOffered)
		.map((site) => ({ name: labelOf(site), value: site.siteId }))
		.sort((one, other) => one.name.localeCompare(other.name, undefined, { numeric: true }));
}

/** @returns why there is no list. A credential that cannot be used leaves the sites that were entered in it. */
async function load(
	context: ILoadOptionsFunctions,
	sites: Sites,
): Promise<FailureText | undefined> {
	const { clientFor } = await import('../requests/client');
	const { loadList } = await import('../input/serviceList');
	const signal = abortedAfter(LONGEST_MS);
	const waitEndsAt = systemClock.now() + LONGEST_MS;
	try {
		const client = await clientFor(context, 'execution', { signal, waitEndsAt });
		await loadList(client, sites, { timeoutMs: LONGEST_MS, maxTries: 2 }, FRESH_MS);
		if (!sites.failure?.unasked) return sites.failure;
		const { account, queue } = client;
		const delayMs = account.limit.delayMs(queue);
		return delayMs > 0
			? MESSAGES.limits.reached(account.limit.textFor(queue), delayMs)
			: MESSAGES.siteList.tooSlow(LONGEST_MS);
	} catch (error) {
		const { message, description } = error as NodeOperationError;
		return { message, description: description ?? '' };
	}
}
