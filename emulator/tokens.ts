import { randomBytes, randomUUID } from 'node:crypto';
import { createDecoder, createSigner, createVerifier } from 'fast-jwt';
import type { Token } from '../service/token';

/** How tokens are issued. */
export interface TokenSettings {
	/** Seconds after which a token is no longer accepted. */
	lifetimeSeconds: number;
	/** What `expires_in` says instead of the lifetime; null leaves it out. */
	announcedLifetime?: string | null;
	/** Issues random tokens that are no JWTs. */
	opaque?: boolean;
	/** Adds this to the times in a JWT, as a service whose clock is wrong does. */
	clockSkewSeconds?: number;
}

/** Issues, checks and revokes tokens: JWTs signed with a key that lives as long as the emulator. */
export class Tokens {
	private readonly key = randomBytes(32);

	/** The username to which each token was issued, whether it is accepted still or not. */
	private readonly owners = new Map<string, string>();

	private readonly accepted = new Map<string, number>();

	private readonly sign = createSigner({ key: this.key });

	private readonly verify = createVerifier({ key: this.key, ignoreExpiration: true });

	constructor(readonly settings: TokenSettings) {}

	/** All tokens that were ever issued. */
	get issued(): string[] {
		return [...this.owners.keys()];
	}

	issue(username: string): Token {
		const { lifetimeSeconds, announcedLifetime, opaque, clockSkewSeconds = 0 } = this.settings;
		const iat = Math.floor(Date.now() / 1000) + clockSkewSeconds;
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
		const endsAt = this.accepted.get(token);
		if (endsAt === undefined || Date.now() >= endsAt) return false;
		if (!this.settings.opaque) this.verify(token);
		return true;
	}

	/** The username to which a token was issued, also one that is no longer accepted. */
	ownerOf(token: string): string | undefined {
		return this.owners.get(token);
	}

	revokeAll(): void {
		this.accepted.clear();
	}
}

const decode = createDecoder();

/** The user to whom the token of an `Authorization` header was issued; works for JWTs only. */
export function userOf(authorization: unknown): string {
	const [, token = ''] = String(authorization).split(' ');
	return (decode(token) as { sub: string }).sub;
}
