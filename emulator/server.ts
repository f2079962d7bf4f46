import type { AddressInfo } from 'node:net';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Site } from '../nodes/Aquaculture/service/site';
import { failure, send, sleep, type Answer } from './answers';
import type { Fault, FaultRule, Route } from './faults';
import { Journal, type ReceivedRequest } from './journal';
import { RateLimit } from './rateLimit';
import { SITES, type StoredSite } from './sites';
import { Tokens, type TokenSettings } from './tokens';

export interface EmulatorSettings {
	/** 0 for a free port. */
	port: number;
	/** Passwords by username. */
	accounts: Record<string, string>;
	versionHeader: string;
	/** The path of the base URL. */
	prefix: string;
	/** Applied at the start and at a reset. */
	sites: readonly StoredSite[];
	token: TokenSettings;
	/** Of each account, logins included; 0 for no limit. */
	requestsPerMinute: number;
	latencyMs: number;
	/** Makes it an HTTPS server. */
	tls?: { key: string; cert: string };
	/** 0.4 varies the latency by up to 40 % either way. */
	latencyJitter: number;
}

export const DEMO_ACCOUNT = { username: 'demo', password: 'fjord-and-salmon' };

/** A path of the emulator's own, for people who run it: `PATCH` changes a site. */
const CHANGES_PATH = '/emulator/sites';

/** The oldest version in docs/service-interface.md, which does not say which ones are supported. */
const OLDEST_VERSION = '2023-01-01';

const DEFAULT_SETTINGS: EmulatorSettings = {
	port: 0,
	accounts: { [DEMO_ACCOUNT.username]: DEMO_ACCOUNT.password },
	versionHeader: 'Service-Version',
	prefix: '',
	sites: SITES,
	token: { lifetimeSeconds: 3600 },
	latencyMs: 0,
	latencyJitter: 0,
	requestsPerMinute: 0,
};

/**
 * Emulates the service on loopback: the two documented endpoints, the published errors, a rate limit and faults on demand,
 * and a journal of requests.
 *
 * The operator publishes the meaning of each status and the form of its body; codes, messages and the kind of limit are the
 * emulator's own choice. It answers 403 only as a fault, and never bans an account.
 */
export class Emulator {
	readonly journal = new Journal();

	readonly tokens: Tokens;

	/** Changes apply to the next request. */
	readonly settings: EmulatorSettings;

	private faults: FaultRule[] = [];

	private readonly limit = new RateLimit();

	sites = new Map<number, StoredSite>();

	private readonly app: FastifyInstance;

	constructor(settings: Partial<EmulatorSettings> = {}) {
		this.settings = { ...DEFAULT_SETTINGS, ...settings };
		this.tokens = new Tokens({ ...this.settings.token });
		this.reset();
		this.app = this.build();
	}

	async start(): Promise<this> {
		await this.app.listen({ host: '127.0.0.1', port: this.settings.port });
		return this;
	}

	async stop(): Promise<void> {
		await this.app.close();
	}

	get baseUrl(): string {
		const { port } = this.app.server.address() as AddressInfo;
		const scheme = this.settings.tls ? 'https' : 'http';
		return `${scheme}://127.0.0.1:${port}${this.settings.prefix}`;
	}

	/** Returns a credential for the demo account with the highest request limit. */
	get credential() {
		return { baseUrl: this.baseUrl, ...DEMO_ACCOUNT, requestsPerMinute: 10_000 };
	}

	/** Returns a command that changes the licence of site 1001. */
	get exampleOfChange(): string {
		return `curl -X PATCH ${this.baseUrl}${CHANGES_PATH}/1001 -d '{"info":{"license":"M-H-0202"}}'`;
	}

	/** Adds a fault, after those that are set. */
	fail(rule: FaultRule): void {
		this.faults.push({ ...rule });
	}

	/** Changes, adds or, if the change returns undefined, removes a site. */
	changeSite(siteId: number, change: (site: StoredSite) => StoredSite | undefined): void {
		const changed = change(structuredClone(this.sites.get(siteId) ?? { siteId }));
		if (changed) this.sites.set(siteId, changed);
		else this.sites.delete(siteId);
	}

	/** Clears faults, changes of sites, the rate limit and the journal. Tokens stay valid. */
	reset(): void {
		this.faults = [];
		this.limit.clear();
		this.sites = new Map(this.settings.sites.map((site) => [site.siteId, site]));
		this.journal.clear();
	}

	private build(): FastifyInstance {
		const app = fastify({
			forceCloseConnections: true,
			exposeHeadRoutes: false,
			https: this.settings.tls ?? null,
		}) as unknown as FastifyInstance;
		app.removeAllContentTypeParsers();
		app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
			done(null, body);
		});
		const { prefix } = this.settings;
		app.post(`${prefix}/auth/token`, async (request, reply) => {
			await this.answer('token', request, reply, undefined, () => this.token(request));
		});
		app.get<{ Params: { siteId: string } }>(
			`${prefix}/meta/sites/:siteId`,
			async (request, reply) => {
				const siteId = Number(request.params.siteId);
				await this.answer('site', request, reply, siteId, () => this.site(request, siteId));
			},
		);
		app.patch<{ Params: { siteId: string } }>(
			`${prefix}${CHANGES_PATH}/:siteId`,
			async ({ params, body }) => this.mergeIntoSite(Number(params.siteId), String(body)),
		);
		app.setNotFoundHandler(async (request, reply) => {
			await this.answer('other', request, reply, undefined, () => this.other(request));
		});
		return app;
	}

	private async answer(
		route: Route,
		request: FastifyRequest,
		reply: FastifyReply,
		siteId: number | undefined,
		documented: () => Answer,
	): Promise<void> {
		const account = this.getAccount(route, request);
		const received: ReceivedRequest = {
			route,
			method: request.method,
			url: request.raw.url ?? '',
			headers: request.headers,
			body: typeof request.body === 'string' ? request.body : '',
			at: performance.now(),
			...(account !== undefined && { account }),
		};
		this.journal.begin(received);
		reply.raw.once('close', () => {
			this.journal.end();
			received.wasAborted = !reply.raw.writableFinished;
		});
		reply.hijack();

		const refusal = this.rateLimitFailure(received);
		const fault = refusal ? undefined : this.nextFault(route, siteId);
		if (fault) received.fault = fault;
		const { latencyMs, latencyJitter } = this.settings;
		const laterMs = fault?.kind === 'status' ? (fault.afterMs ?? 0) : 0;
		await sleep(laterMs + latencyMs * (1 + latencyJitter * (2 * Math.random() - 1)));
		received.status = await send(reply.raw, received, () => refusal ?? documented());
	}

	private getAccount(route: Route, request: FastifyRequest): string | undefined {
		if (route === 'token') return parseLogin(request.body)?.username;
		const token = getBearerToken(request);
		return token === undefined ? undefined : this.tokens.getOwner(token);
	}

	private rateLimitFailure({ account, at }: ReceivedRequest): Answer | undefined {
		if (account === undefined) return undefined;
		const waitMs = this.limit.waitMs(account, this.settings.requestsPerMinute, at);
		if (waitMs === 0) return undefined;
		return { ...failure(429), headers: { 'retry-after': String(Math.ceil(waitMs / 1000)) } };
	}

	/** Takes the first fault for a request, and counts down its times. */
	private nextFault(route: Route, siteId: number | undefined): Fault | undefined {
		const rule = this.faults.find(
			(candidate) =>
				candidate.route === route &&
				(candidate.siteId === undefined || candidate.siteId === siteId) &&
				candidate.times !== 0,
		);
		if (rule?.times !== undefined) rule.times -= 1;
		return rule?.fault;
	}

	private token(request: FastifyRequest): Answer {
		const failed = this.versionFailure(request);
		if (failed) return failed;
		const login = parseLogin(request.body);
		if (!login || this.settings.accounts[login.username] !== login.password) {
			return failure(401, 'The username is unknown or the password is wrong.');
		}
		return { status: 200, json: this.tokens.issue(login.username) };
	}

	private site(request: FastifyRequest, siteId: number): Answer {
		const failed = this.tokenFailure(request) ?? this.versionFailure(request);
		if (failed) return failed;
		const found = this.sites.get(siteId);
		if (!found) return failure(404, 'There is no site with this ID.');
		const { $include = '' } = request.query as { $include?: string };
		return { status: 200, json: withIncludes(found, $include.split(',')) };
	}

	/** Answers any signed GET request to an undocumented path with that path. */
	private other(request: FastifyRequest): Answer {
		if (request.method !== 'GET') return failure(404);
		return this.tokenFailure(request) ?? { status: 200, json: { path: request.raw.url } };
	}

	/** Merges a JSON object into a site, which it adds if there is none. @returns the site. */
	private mergeIntoSite(siteId: number, json: string): StoredSite {
		const { info, ...fields } = JSON.parse(json) as Site;
		const site = this.sites.get(siteId);
		const merged = { ...site, ...fields, siteId, info: { ...site?.info, ...info } };
		this.changeSite(siteId, () => merged);
		return merged;
	}

	private tokenFailure(request: FastifyRequest): Answer | undefined {
		const token = getBearerToken(request);
		return token !== undefined && this.tokens.accepts(token) ? undefined : failure(401);
	}

	private versionFailure(request: FastifyRequest): Answer | undefined {
		const version = String(request.headers[this.settings.versionHeader.toLowerCase()]);
		if (/^\d{4}-\d{2}-\d{2}$/.test(version) && version >= OLDEST_VERSION) return undefined;
		return failure(400, 'The version is missing or not supported.');
	}
}

/** Returns undefined if the body has no username or no password. */
function parseLogin(body: unknown): { username: string; password: string } | undefined {
	try {
		const { username, password } = JSON.parse(String(body)) as Record<string, unknown>;
		if (typeof username !== 'string' || typeof password !== 'string') return undefined;
		return { username, password };
	} catch {
		return undefined;
	}
}

function getBearerToken({ headers }: FastifyRequest): string | undefined {
	return /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1];
}

function withIncludes(site: StoredSite, includes: readonly string[]): Record<string, unknown> {
	const isIncluded = (field: string) =>
		!['units', 'info'].includes(field) || includes.includes(field);
	return Object.fromEntries(Object.entries(site).filter(([field]) => isIncluded(field)));
}
