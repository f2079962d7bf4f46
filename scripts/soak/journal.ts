import type { Journal, ReceivedRequest } from '../../emulator/journal';
import type { EnteredPassword } from './account';
import type { Witness } from './answers';
import { TokenHistory, type TokenUse } from './exchanges';
import { loginOf } from './logins';
import { callOf } from './marks';
import { replyTo, siteOf, type Reply } from './replies';

/** What the service's journal tells of the calls: the replies to each, by call and site. */
export class CallJournal implements Witness {
	readonly logins;

	/** What came of the tokens. */
	readonly tokens: TokenHistory;

	private readonly replies = new Map<number, Map<number, Reply[]>>();

	constructor(
		journal: Journal,
		readonly entered: readonly EnteredPassword[],
	) {
		this.logins = journal.of('token').map(loginOf);
		const requests = journal.of('site');
		const uses = new Map(requests.map((request) => [request, useOf(request)]));
		this.tokens = new TokenHistory(
			this.logins,
			[...uses.values()].filter((use) => use !== undefined),
		);
		for (const [request, use] of uses) this.add(request, use);
	}

	repliesOf(call: number): ReadonlyMap<number, readonly Reply[]> {
		return this.replies.get(call) ?? new Map<number, Reply[]>();
	}

	/** The replies to all calls, for each site of each call. */
	all(): Reply[][] {
		return [...this.replies.values()].flatMap((sites) => [...sites.values()]);
	}

	private add(request: ReceivedRequest, use: TokenUse | undefined): void {
		const call = callOf(request.headers['service-version']);
		if (call === undefined) return;
		const sites = this.replies.get(call) ?? new Map<number, Reply[]>();
		const siteId = siteOf(request);
		const reply = replyTo(request);
		if (reply.kind === 'rejected' && use) reply.mayStand = this.tokens.mayStand(use);
		sites.set(siteId, [...(sites.get(siteId) ?? []), reply]);
		this.replies.set(call, sites);
	}
}

function useOf({ at, url, headers, status }: ReceivedRequest): TokenUse | undefined {
	if (status !== 200 && status !== 401 && status !== 403) return undefined;
	const token = String(headers.authorization).split(' ')[1] ?? '';
	return { at, token, document: url, isAccepted: status === 200 };
}
