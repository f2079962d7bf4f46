import { Readable } from 'node:stream';
import type { Account } from '../../account/accounts';
import { announcementFor } from '../../account/announcement';
import type { IssuedToken } from '../../account/issuedToken';
import { Budget } from '../../account/limit/budget';
import { toStoredFields } from '../../account/storedToken';
import { TokenChoice } from '../../account/tokenChoice';
import { siteDocument } from '../../service/siteAnswer';
import { Cancellation } from '../../nodes/Aquaculture/requests/cancellation';
import { readDocuments } from '../../nodes/Aquaculture/requests/readDocuments';
import type { Transport } from '../../nodes/Aquaculture/requests/transport';
import { checkConnection, type Connection } from '../../account/connection';
import { HOUR_MS } from '../../texts/duration';
import { VirtualClock } from '../../testbed/simulation/virtualClock';
import { credentialFor } from '../credentials/token/credentialFor';

type Outcome = 'read' | 'rejected' | 'session ended' | 'no token';

const LOGIN_MS = 40;
const ANSWERS_MS = [600, 500, 700];
const CREDENTIAL = credentialFor('https://data.example.com', 'staff', 'Laks & ørret');
const CONNECTION = checkConnection(CREDENTIAL).value as Connection;

/** A service, and one process that reads from it with the node's own reader, on a clock of their own. */
export class Service {
	/** Which documents it rejects although their token is good. */
	isForbidden: (document: number) => boolean = () => false;

	logins = 0;

	readonly outcomes: Outcome[] = [];

	private readonly clock = new VirtualClock();

	private readonly account: Account;

	private readonly accepted = new Set<string>();

	/** The credential in n8n's database. */
	private stored: object = {};

	private sent = 0;

	private readonly running: Array<Promise<unknown>> = [];

	constructor(requestsPerMinute = Infinity) {
		const now = () => this.clock.now();
		const budget = new Budget(this.clock);
		budget.requestsPerMinute = requestsPerMinute;
		this.account = { connection: CONNECTION, budget, tokens: new TokenChoice(now, now) };
	}

	/** Begins an execution; it goes on while time passes. */
	read(documents: number, concurrentRequests = 10): void {
		const transport: Transport = {
			account: this.account,
			credential: { ...CREDENTIAL, ...this.stored },
			queueKind: 'execution',
			cancellation: new Cancellation(),
			send: async ({ url }, credential) => await this.answer(url, credential),
		};
		const requests = Array.from({ length: documents }, (_, document) => siteDocument(document, []));
		const limits = {
			...{ maxTries: 1, timeoutMs: HOUR_MS, maxTimeMs: HOUR_MS },
			...{ concurrentRequests, maxWaitMs: Infinity },
		};
		this.running.push(
			readDocuments(transport, requests, limits, (_request, { value, failure }) => {
				if (value) this.outcomes.push('read');
				else if (failure.cause === 'sessionEnded') this.outcomes.push('session ended');
				else this.outcomes.push(failure.statusCode === 401 ? 'rejected' : 'no token');
			}),
		);
	}

	async pass(milliseconds: number): Promise<void> {
		await this.clock.pass(milliseconds);
	}

	/** Lets time pass until all executions have ended. */
	async end(): Promise<void> {
		await this.clock.pass(Infinity);
		await Promise.all(this.running);
	}

	/** A login that another program makes, which ends the session of this one. */
	revoke(): void {
		this.accepted.clear();
	}

	/** What n8n's helper does with what the node has announced. */
	private async answer(url: string, credential: Parameters<Transport['send']>[1]) {
		const { login, token } = announcementFor(credential) ?? {};
		if (login) {
			login.outcome = await this.logIn();
			this.account.budget.accept(login.place);
			throw new Error('Nothing is to be sent after a login');
		}
		const document = Number(/\d+$/.exec(url)?.[0]);
		const answerMs = ANSWERS_MS[this.sent++ % ANSWERS_MS.length] ?? 0;
		await this.clock.sleep(answerMs / 2);
		const isRead = this.accepted.has((token as IssuedToken).value) && !this.isForbidden(document);
		await this.clock.sleep(answerMs / 2);
		const body = Readable.from([Buffer.from(JSON.stringify({ siteId: document }))]);
		return { statusCode: isRead ? 200 : 401, headers: {}, body };
	}

	private async logIn() {
		const token: IssuedToken = { value: `token-${++this.logins}`, issuedAt: this.clock.now() };
		await this.clock.sleep(LOGIN_MS);
		this.accepted.add(token.value);
		this.stored = toStoredFields(CONNECTION, token);
		return { token };
	}
}
