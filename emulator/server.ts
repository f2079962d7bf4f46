import type { AddressInfo } from 'node:net';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { checkVersion } from '../api/parameters';
import { SITE_INCLUDES } from '../api/includes';
import { TOKEN_PATH } from '../api/tokenEndpoint';
import { FaultPlan, type Fault, type FaultRule, type Route } from './faults';
import { Journal, type ReceivedRequest } from './journal';
import { RateLimit } from './rateLimit';
import { SITES, type StoredSite } from './sites';
import { Tokens, type TokenSettings } from './tokens';

export interface EmulatorSettings {
	/** 0 takes a free port. */
	port: number;
	/** Username and password pairs that may log in. */
	accounts: Record<string, string>;
	/** Name of the version header. */
	versionHeader: string;
	/** Paths below the base URL, for tests with a base URL that has a path of its own. */
	prefix: string;
	/** Read at the start and at a reset. */
	sites: readonly StoredSite[];
	token: TokenSettings;
	/** Status that answers a token that is not accepted. */
	rejection: 401 | 403;
	/** Time that each answer takes. */
	latencyMs: number;
	/** Speaks HTTPS with this certificate. */
	tls?: { key: string; cert: string };
	/** By which share of it the latency varies, either way. */
	latencyJitter: number;
	/** Answers with status 429 and `Retry-After: 1` whatever arrives above this number within a second. */
	requestsPerSecond?: number | undefined;
}

export const DEMO_ACCOUNT = { username: 'demo', password: 'fjord-and-salmon' };

const DEFAULT_SETTINGS: EmulatorSettings = {
	port: 0,
	accounts: { [DEMO_ACCOUNT.username]: DEMO_ACCOUNT.password },
	versionHeader: 'Service-Version',
	prefix: '',
	sites: SITES,
	token: { lifetimeSeconds: 3600 },
	rejection: 401,
	latencyMs: 0,
	latencyJitter: 0,
};

/**
 * The service on loopback: the two documented endpoints, faults on demand, and a journal of what it was sent.
 *
 * The interface document shows no unsuccessful answers, so these differ here in nothing but their status; their body
 * is a remark for the person who reads it.
 */
export class Emulator {
	readonly journal = new Journal();

	readonly tokens: Tokens;

	/** May be changed while the emulator runs. */
	readonly settings: EmulatorSettings;

	private readonly faults = new FaultPlan();

	private readonly rateLimit = new RateLimit();

	private sites: ReadonlyMap<number, StoredSite>;

	private readonly app: FastifyInstance;

	private constructor(settings: Partial<EmulatorSettings>) {
		this.settings = { ...DEFAULT_SETTINGS, ...settings };
		this.tokens = new Tokens(this.settings.token);
		this.sites = this.settledSites();
		this.app = this.build();
	}

	/** Starts an emulator on loopback. */
	static async start(settings: Partial<EmulatorSettings> = {}): Promise<Emulator> {
		const emulator = new Emulator(settings);
		await emulator.app.listen({ host: '127.0.0.1', port: emulator.settings.port });
		return emulator;
	}

	async stop(): Promise<void> {
		this.app.server.closeAllConnections();
		await this.app.close();
	}

	/** The base URL that a credential needs. */
	get baseUrl(): string {
		const { port } = this.app.server.address() as AddressInfo;
		const scheme = this.settings.tls ? 'https' : 'http';
		return `${scheme}://127.0.0.1:${port}${this.settings.prefix}`;
	}

	fail(rule: FaultRule): void {
		this.faults.add(rule);
	}

	/** Changes a site, or takes it away where there is nothing left of it. */
	changeSite(siteId: number, change: (site: StoredSite) => StoredSite | undefined): void {
		const sites = new Map(this.sites);
		const changed = change(structuredClone(sites.get(siteId) ?? { siteId }));
		if (changed) sites.set(siteId, changed);
		else sites.delete(siteId);
		this.sites = sites;
	}

	/** Forgets faults, changes of sites, and the journal; tokens stay as they are. */
	reset(): void {
		this.faults.clear();
		this.sites = this.settledSites();
		this.journal.clear();
	}

	private settledSites(): ReadonlyMap<number, StoredSite> {
		return new Map(this.settings.sites.map((site) => [site.siteId, site]));
	}

	private build(): FastifyInstance {
		const app = fastify({
			forceCloseConnections: true,
			exposeHeadRoutes: false,
			https: this.settings.tls ?? null,
		}) as unknown as FastifyInstance;
		app.server.on('connection', () => {
			this.journal.connections += 1;
		});
		app.removeAllContentTypeParsers();
		app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
			done(null, body);
		});
		const { prefix } = this.settings;
		app.post(prefix + TOKEN_PATH, async (request, reply) => {
			await this.answer('token', request, reply, undefined, (received) =>
				this.token(request, received),
			);
		});
		app.get<{ Params: { siteId: string } }>(
			`${prefix}/meta/sites/:siteId`,
			async (request, reply) => {
				const siteId = Number(request.params.siteId);
				await this.answer('site', request, reply, siteId, () => this.site(request, siteId));
			},
		);
		app.setNotFoundHandler(async (request, reply) => {
			await this.answer('other', request, reply, undefined, () => this.other(request));
		});
		return app;
	}

	private async answer(
		route: Route | 'other',
		request: FastifyRequest,
		reply: FastifyReply,
		siteId: number | undefined,
		documented: (received: ReceivedRequest) => Answer,
	): Promise<void> {
		const received: ReceivedRequest = {
			route,
			method: request.method,
			url: request.raw.url ?? '',
			headers: request.headers,
			body: typeof request.body === 'string' ? request.body : '',
			at: Date.now(),
		};
		this.journal.begin(received);
		reply.raw.once('close', () => {
			this.journal.end();
			received.isCutOff = !reply.raw.writableFinished;
		});
		reply.hijack();

		const isAdmitted = this.rateLimit.admits(this.settings.requestsPerSecond);
		await sleep(this.latency());
		const fault = isAdmitted ? this.plannedFault(route, siteId) : TOO_MANY_REQUESTS;
		if (fault) received.fault = fault;
		try {
			received.status = await send(reply.raw, received, fault, documented);
		} catch (error) {
			received.status = end(reply.raw, 500, `emulator: ${String(error)}\n`);
		}
	}

	private plannedFault(route: Route | 'other', siteId: number | undefined): Fault | undefined {
		return route === 'other' ? undefined : this.faults.next(route, siteId);
	}

	private latency(): number {
		const { latencyMs, latencyJitter } = this.settings;
		return latencyMs * (1 + latencyJitter * (2 * Math.random() - 1));
	}

	private token(request: FastifyRequest, received: ReceivedRequest): Answer {
		const refusal = this.refuseVersion(request);
		if (refusal) return refusal;
		const { username, password } = parseLogin(request.body);
		const { accounts } = this.settings;
		if (!Object.hasOwn(accounts, username) || accounts[username] !== password) {
			return remark(401, 'unknown username or wrong password');
		}
		this.journal.exchanges += 1;
		const token = this.tokens.issue(username);
		received.issued = token.access_token;
		return { status: 200, json: token };
	}

	private site(request: FastifyRequest, siteId: number): Answer {
		const refusal = this.refuseToken(request) ?? this.refuseVersion(request);
		if (refusal) return refusal;
		const found = this.sites.get(siteId);
		if (!found) return remark(404, 'unknown site');

		const includes = new URL(request.raw.url ?? '', 'http://emulator').searchParams.get('$include');
		return { status: 200, json: withIncludes(found, includes?.split(',') ?? []) };
	}

	/** Any further path: what a signed request to an endpoint that is not documented gets. */
	private other(request: FastifyRequest): Answer {
		if (request.method !== 'GET') return remark(404, 'unknown path');
		return this.refuseToken(request) ?? { status: 200, json: { path: request.raw.url } };
	}

	private refuseToken(request: FastifyRequest): Answer | undefined {
		const [, token] = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '') ?? [];
		if (token !== undefined && this.tokens.accepts(token)) return undefined;
		return remark(this.settings.rejection, 'token missing, ended or revoked');
	}

	private refuseVersion(request: FastifyRequest): Answer | undefined {
		const version = request.headers[this.settings.versionHeader.toLowerCase()];
		if (checkVersion(version).fault === undefined) return undefined;
		return remark(400, 'version header missing or malformed');
	}
}

const TOO_MANY_REQUESTS: Fault = {
	kind: 'status',
	status: 429,
	headers: { 'retry-after': '1' },
};

interface Answer {
	status: number;
	json?: unknown;
	remark?: string;
}

function remark(status: number, text: string): Answer {
	return { status, remark: `emulator: ${text}\n` };
}

function parseLogin(body: unknown): { username: string; password: string } {
	try {
		const { username, password } = JSON.parse(String(body)) as Record<string, unknown>;
		return { username: String(username), password: String(password) };
	} catch {
		return { username: '', password: '' };
	}
}

function withIncludes(site: StoredSite, includes: readonly string[]): Record<string, unknown> {
	const optional: readonly string[] = SITE_INCLUDES;
	return Object.fromEntries(
		Object.entries(site).filter(([field]) => !optional.includes(field) || includes.includes(field)),
	);
}

async function send(
	raw: ServerResponse,
	received: ReceivedRequest,
	fault: Fault | undefined,
	documented: (received: ReceivedRequest) => Answer,
): Promise<number> {
	switch (fault?.kind) {
		case 'status':
			return end(raw, fault.status, fault.body ?? '', fault.headers);
		case 'body':
			return end(raw, 200, fault.body, {
				'content-type': fault.contentType ?? 'application/json',
			});
		case 'echo':
			return echo(raw, received, fault.status, fault.contentType);
		case 'reset':
			raw.socket?.resetAndDestroy();
			return 0;
		case 'hang':
			return 0;
		case 'huge':
			return await sendHuge(raw, fault.bytes);
		default:
	}
	const { status, json, remark: text } = documented(received);
	if (json === undefined) return end(raw, status, text ?? '', { 'content-type': 'text/plain' });

	const echoed =
		fault?.kind === 'echoBeside'
			? JSON.stringify({ url: received.url, headers: received.headers, body: received.body })
			: undefined;
	const body = Buffer.from(JSON.stringify(echoed === undefined ? json : { ...json, echoed }));
	const headers = {
		'content-type': 'application/json; charset=utf-8',
		...(echoed !== undefined && { 'x-echoed': encodeURIComponent(echoed) }),
	};
	if (fault?.kind === 'truncated') {
		raw.writeHead(status, { ...headers, 'content-length': body.length });
		raw.write(body.subarray(0, body.length / 2), () => raw.socket?.destroy());
		return status;
	}
	if (fault?.kind === 'trickle') {
		raw.writeHead(status, { ...headers, 'content-length': body.length });
		for (const byte of body.subarray(0, -1)) {
			if (raw.destroyed) break;
			raw.write(Buffer.of(byte));
			await sleep(fault.msPerByte);
		}
		raw.end(body.subarray(-1));
		return status;
	}
	return end(raw, status, body, headers);
}

function end(
	raw: ServerResponse,
	status: number,
	body: string | Buffer,
	headers: Record<string, string> = {},
): number {
	raw.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
	raw.end(body);
	return status;
}

function echo(
	raw: ServerResponse,
	{ url, headers, body }: ReceivedRequest,
	status: number,
	contentType = 'application/json',
): number {
	const everything = JSON.stringify({ message: `refused: ${body}`, url, headers, body });
	return end(raw, status, contentType === 'text/html' ? `<p>${everything}</p>` : everything, {
		'content-type': contentType,
		'www-authenticate': `Bearer token="${String(headers.authorization)}"`,
		location: `https://example.com/?all=${encodeURIComponent(everything)}`,
	});
}

async function sendHuge(raw: ServerResponse, bytes: number): Promise<number> {
	const chunk = 'a'.repeat(64 * 1024);
	raw.writeHead(200, { 'content-type': 'application/json' });
	const document = Readable.from(
		(function* () {
			yield '"';
			for (let sent = 0; sent < bytes; sent += chunk.length) yield chunk;
			yield '"';
		})(),
	);
	// A client that has had enough closes the connection.
	await pipeline(document, raw).catch(() => undefined);
	return 200;
}

async function sleep(milliseconds: number): Promise<void> {
	if (milliseconds > 0) await new Promise((resolve) => setTimeout(resolve, milliseconds));
}
