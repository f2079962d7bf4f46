import type { Journal, ReceivedRequest } from '../../emulator/journal';
import type { EnteredPassword } from './account';
import type { Witness } from './answers';
import type { Rejection } from './exchanges';
import { loginOf } from './logins';
import { callOf } from './marks';
import { replyTo, siteOf, type Reply } from './replies';

/** What the service's journal tells of the calls: the replies to each, by call and site. */
export class CallJournal implements Witness {
	readonly logins;

	/** Requests for sites that were answered with 401 or 403. */
	readonly rejections: Rejection[];

	private readonly replies = new Map<number, Map<number, Reply[]>>();

	constructor(
		journal: Journal,
		readonly entered: readonly EnteredPassword[],
	) {
		this.logins = journal.of('token').map(loginOf);
		const requests = journal.of('site');
		for (const request of requests) this.add(request);
		this.rejections = requests
			.filter(({ status }) => status === 401 || status === 403)
			.map(({ at, headers }) => ({ at, token: String(headers.authorization).split(' ')[1] ?? '' }));
	}

	repliesOf(call: number): ReadonlyMap<number, readonly Reply[]> {
		return this.replies.get(call) ?? new Map<number, Reply[]>();
	}

	/** The replies to all calls, for each site of each call. */
	all(): Reply[][] {
		return [...this.replies.values()].flatMap((sites) => [...sites.values()]);
	}

	private add(request: ReceivedRequest): void {
		const call = callOf(request.headers['service-version']);
		if (call === undefined) return;
		const sites = this.replies.get(call) ?? new Map<number, Reply[]>();
		const siteId = siteOf(request);
		sites.set(siteId, [...(sites.get(siteId) ?? []), replyTo(request)]);
		this.replies.set(call, sites);
	}
}
