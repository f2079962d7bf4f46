import { randomBytes, randomUUID } from 'node:crypto';
import { createSigner } from 'fast-jwt';
import type { Token } from '../nodes/Aquaculture/service/token';

/** How tokens are issued. */
export interface TokenSettings {
	/** Seconds after which a token is no longer accepted. */
	lifetimeSeconds: number;
	/** What `expires_in` says instead of the lifetime; null leaves it out. */
	announcedLifetime?: string | null;
	/** Issues random tokens that are no JWTs. */
	opaque?: boolean;
}

/** Issues, checks and revokes tokens: JWTs signed with a key that lives as long as the emulator. */
export class Tokens {
	/** The username to which each token was issued, whether it is accepted still or not. */
	private readonly owners = new Map<string, string>();

	/** When each token ends, in milliseconds since 1970. */
	private readonly accepted = new Map<string, number>();

	private readonly sign = createSigner({ key: randomBytes(32) });

	constructor(readonly settings: TokenSettings) {}

	/** All tokens that were ever issued. */
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
		this.accepted.set(access_token, Date.now() + lifetimeSeconds * 1000);
		return {
			access_token,
			...(announcedLifetime !== null && {
				expires_in: announcedLifetime ?? String(lifetimeSeconds),
			}),
			token_type: 'Bearer',
		};
	}

	accepts(token: string): boolean {
		return Date.now() < (this.accepted.get(token) ?? 0);
	}

	/** The username to which a token was issued, also one that is no longer accepted. */
	ownerOf(token: string): string | undefined {
		return this.owners.get(token);
	}

	revokeAll(): void {
		this.accepted.clear();
	}
}
