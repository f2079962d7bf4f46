import { randomBytes, randomUUID } from 'node:crypto';
import { createSigner } from 'fast-jwt';
import type { Token } from '../nodes/Aquaculture/service/token';

export interface TokenSettings {
	lifetimeSeconds: number;
	/** The value of `expires_in`, if not the lifetime; null omits it. */
	announcedLifetime?: string | null;
	/** Issues random tokens instead of JWTs. */
	opaque?: boolean;
}

/** Issues, checks and revokes tokens. */
export class Tokens {
	/** Usernames by token, including expired and revoked tokens. */
	private readonly owners = new Map<string, string>();

	/** When each valid token expires, in milliseconds since 1970. */
	private readonly expiries = new Map<string, number>();

	private readonly sign = createSigner({ key: randomBytes(32) });

	constructor(readonly settings: TokenSettings) {}

	/** Includes expired and revoked tokens. */
	get issued(): string[] {
		return [...this.owners.keys()];
	}

	issue(username: string): Token {
		const { lifetimeSeconds, announcedLifetime, opaque } = this.settings;
		const iat = Math.floor(Date.now() / 1000);
		const access_token = opaque
			? randomBytes(32).toString('base64url')
			: this.sign({ sub: username, jti: randomUUID(), iat, exp: iat + Math.ceil(lifetimeSeconds) });
		this.owners.set(access_token, username);
		this.expiries.set(access_token, Date.now() + lifetimeSeconds * 1000);
		return {
			access_token,
			...(announcedLifetime !== null && {
				expires_in: announcedLifetime ?? String(lifetimeSeconds),
			}),
			token_type: 'Bearer',
		};
	}

	accepts(token: string): boolean {
		return Date.now() < (this.expiries.get(token) ?? 0);
	}

	/** Also knows expired and revoked tokens. */
	getOwner(token: string): string | undefined {
		return this.owners.get(token);
	}

	revokeAll(): void {
		this.expiries.clear();
	}
}
