import { jwtDecode } from 'jwt-decode';
import type { Token } from '../../service/tokenAnswer';

/**
 * When a token that was issued now is likely to expire; undefined if that is not known.
 *
 * The lifetime in a JWT (RFC 7519: `exp` less `iat`, in seconds) is right even if the clocks differ. A JWT without
 * `iat` is read by this machine's clock, and `expires_in` as seconds, although docs/service-interface.md shows no unit; a
 * very short time is then taken for a clock that is wrong, or for another unit.
 */
export function expectedEnd({ access_token, expires_in }: Token, now: number): number | undefined {
	const SHORTEST_BELIEVED_SECONDS = 5;
	const { exp, iat } = decodeJwt(access_token);
	if (typeof exp === 'number' && typeof iat === 'number' && exp > iat) {
		return now + (exp - iat) * 1000;
	}
	const byClock = typeof exp === 'number' ? exp - now / 1000 : NaN;
	const seconds = [byClock, Number(expires_in)].find(
		(stated) => Number.isFinite(stated) && stated >= SHORTEST_BELIEVED_SECONDS,
	);
	return seconds === undefined ? undefined : now + seconds * 1000;
}

function decodeJwt(token: string): { exp?: unknown; iat?: unknown } {
	try {
		return jwtDecode<{ exp?: unknown; iat?: unknown } | null>(token) ?? {};
	} catch {
		return {};
	}
}
