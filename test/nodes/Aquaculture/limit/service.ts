import { Readable } from 'node:stream';
import {
	NodeApiError,
	type ICredentialDataDecryptedObject,
	type IHttpRequestHelper,
	type IHttpRequestOptions,
	type INode,
	type JsonObject,
} from 'n8n-workflow';
import type { Account } from '../../../../nodes/Aquaculture/login/account';
import { RateLimiter } from '../../../../nodes/Aquaculture/limit/rateLimiter';
import { Queue } from '../../../../nodes/Aquaculture/limit/queue';
import {
	checkCredentialSettings,
	type CredentialSettings,
} from '../../../../nodes/Aquaculture/login/credentialSettings';
import { authenticate, preAuthenticate } from '../../../../nodes/Aquaculture/n8n/credentialHooks';
import { TokenSource } from '../../../../nodes/Aquaculture/login/tokenSource';
import type { Client } from '../../../../nodes/Aquaculture/requests/client';
import { readAll } from '../../../../nodes/Aquaculture/requests/readAll';
import { siteDocument } from '../../../../nodes/Aquaculture/service/site';
import { TOKEN_PATH } from '../../../../nodes/Aquaculture/service/constants';
import { VirtualClock } from '../../../../testbed/simulation/virtualClock';
import { HOUR_MS } from '../../../../nodes/Aquaculture/utils/time';

type Outcome = 'read' | 'rejected' | 'no token';

const LOGIN_MS = 40;
const ANSWERS_MS = [600, 500, 700];

/** A service and a process that reads from it with the node's own reader, on a virtual clock. */
export class Service {
	/** Rejects these documents with any token. */
	isForbidden: (document: number) => boolean = () => false;

	logins = 0;

	readonly outcomes: Outcome[] = [];

	private readonly clock = new VirtualClock();

	private readonly account: Account;

	private readonly accepted = new Set<string>();

	/** The credential in n8n. */
	private readonly stored: ICredentialDataDecryptedObject;

	private sent = 0;

	private readonly running: Array<Promise<unknown>> = [];

	constructor(requestsPerMinute = Infinity) {
		this.stored = {
			baseUrl: 'https://data.example.com',
			username: 'staff',
			password: 'Laks & ørret',
			versionHeader: 'Service-Version',
			tokenVersion: '2025-01-01',
			dataVersion: '2023-01-01',
			requestsPerMinute: requestsPerMinute === Infinity ? 0 : requestsPerMinute,
			accessToken: '',
		};
		this.account = {
			settings: checkCredentialSettings(this.stored).value as CredentialSettings,
			clock: this.clock,
			limiter: new RateLimiter(this.clock),
			tokens: new TokenSource(this.clock),
		};
	}

	/** Starts an execution. */
	read(documents: number): void {
		const client: Client = {
			account: this.account,
			credential: { ...this.stored },
			queue: new Queue('execution', this.account.settings.requestsPerMinute),
			send: async (options, credential) => await this.sendSigned(options, credential),
		};
		const requests = Array.from({ length: documents }, (_, siteId) =>
			siteDocument({ siteId, siteName: null }, []),
		);
		const limits = { timeoutMs: HOUR_MS, allTriesMs: HOUR_MS, maxWaitMs: Infinity };
		this.running.push(
			readAll(client, requests, limits, (_request, { value, failure }) => {
				if (value) this.outcomes.push('read');
				else this.outcomes.push(failure.statusCode === 401 ? 'rejected' : 'no token');
			}),
		);
	}

	async advance(milliseconds: number): Promise<void> {
		await this.clock.advance(milliseconds);
	}

	/** Advances time until all executions end. */
	async settle(): Promise<void> {
		await this.clock.advance(Infinity);
		await Promise.all(this.running);
	}

	/** Revokes all tokens, like a login of another program. */
	revoke(): void {
		this.accepted.clear();
	}

	/** Stubs n8n's request helper. */
	private async sendSigned(
		options: IHttpRequestOptions,
		credential: ICredentialDataDecryptedObject,
	) {
		const helpers = { httpRequest: this.answer.bind(this) } as IHttpRequestHelper['helpers'];
		try {
			Object.assign(credential, await preAuthenticate(helpers, credential));
			return await this.answer(authenticate(credential, options));
		} catch (error) {
			throw new NodeApiError({} as INode, error as JsonObject);
		}
	}

	private async answer({ url = '', headers }: Partial<IHttpRequestOptions>) {
		const answer = (statusCode: number, body: object) => {
			return { statusCode, headers: {}, body: Readable.from([Buffer.from(JSON.stringify(body))]) };
		};
		if (url.endsWith(TOKEN_PATH)) {
			const token = `token-${++this.logins}`;
			await this.clock.sleep(LOGIN_MS);
			this.accepted.add(token);
			return answer(200, { access_token: token });
		}
		const document = Number(/\d+$/.exec(url)?.[0]);
		const answerMs = ANSWERS_MS[this.sent++ % ANSWERS_MS.length] ?? 0;
		await this.clock.sleep(answerMs / 2);
		const [, token = ''] = String(headers?.Authorization).split(' ');
		const isRead = this.accepted.has(token) && !this.isForbidden(document);
		await this.clock.sleep(answerMs / 2);
		return answer(isRead ? 200 : 401, { siteId: document });
	}
}
