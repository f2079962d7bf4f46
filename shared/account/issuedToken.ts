import { jwtDecode } from 'jwt-decode';
import type { Token } from '../../api/token';

/** A token with what is known about it. Times are milliseconds since 1970 by this machine's clock. */
export interface IssuedToken {
	value: string;
	issuedAt: number;
	/** When it is likely to end; absent where nothing usable is said about it. */
	endsAt?: number | undefined;
}

/**
 * When a token that was issued now is likely to end; undefined where that is not known.
 *
 * The lifetime in a JWT (RFC 7519: `exp` less `iat`, in seconds) holds whatever the clocks say. A JWT without
 * `iat` is read by this machine's clock, and `expires_in` as seconds, although the interface document shows no unit; a
 * very short time is then taken for a clock that is wrong, or for another unit.
 */
export function expectedEnd({ access_token, expires_in }: Token, now: number): number | undefined {
	const SHORTEST_BELIEVED_SECONDS = 5;
	const { exp, iat } = decodeJwt(access_token);
	if (typeof exp === 'number' && typeof iat === 'number' && exp > iat) {
		return now + (exp - iat) * 1000;
	}
	const byClock = typeof exp === 'number' ? exp - now / 1000 : NaN;
	return [byClock, Number(expires_in)]
		.filter((seconds) => Number.isFinite(seconds) && seconds >= SHORTEST_BELIEVED_SECONDS)
		.map((seconds) => now + seconds * 1000)[0];
}

/** Whether the token has ended, or is so near its end that it would end on the way. */
export function hasEnded({ issuedAt, endsAt }: IssuedToken, now: number): boolean {
	const LONGEST_MARGIN_MS = 10_000;
	if (endsAt === undefined) return false;
	return now >= endsAt - Math.min(LONGEST_MARGIN_MS, (endsAt - issuedAt) / 10);
}

function decodeJwt(token: string): { exp?: unknown; iat?: unknown } {
	try {
		return jwtDecode<{ exp?: unknown; iat?: unknown } | null>(token) ?? {};
	} catch {
		return {};
	}
}
