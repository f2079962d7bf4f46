import { jwtDecode } from 'jwt-decode';
import { typeOf } from './fields';

/** What is seen of a token, without the token. */
export interface TokenSeen {
	isJwt: boolean;
	/** Whether it has only the characters of a bearer token (RFC 6750, 2.1). */
	isBearer: boolean;
	/** Whether `token_type` is `Bearer`, in any case. */
	isBearerType: boolean;
	/** The type and the length of `expires_in`. */
	expiresIn: string;
	/** Those of the claims on time that it has. */
	claims: string[];
	/** `exp` less `iat`. */
	lifetimeSeconds?: number;
	/** What `expires_in` counts, where it is the lifetime by the claims. */
	unit?: 'seconds' | 'milliseconds' | 'minutes' | 'no known unit';
	/** Whether an earlier login returned the same token. */
	isRepeated: boolean;
}

const TIME_CLAIMS = ['exp', 'iat', 'nbf'] as const;

/** How many seconds a unit has. */
const UNITS = { seconds: 1, milliseconds: 0.001, minutes: 60 } as const;

/** The token of a body; undefined where there is none. */
export function tokenIn(body: unknown): string | undefined {
	const { access_token } = (body ?? {}) as Record<string, unknown>;
	return typeof access_token === 'string' && access_token !== '' ? access_token : undefined;
}

/** @param earlier the tokens of earlier logins. */
export function describeToken(
	token: string,
	{ expires_in, token_type }: Record<string, unknown>,
	earlier: readonly string[],
): TokenSeen {
	const claims = claimsOf(token);
	const { exp, iat } = claims ?? {};
	const lifetime = typeof exp === 'number' && typeof iat === 'number' ? exp - iat : undefined;
	return {
		isJwt: claims !== undefined,
		isBearer: /^[A-Za-z0-9\-._~+/]+=*$/.test(token),
		isBearerType: /^bearer$/i.test(String(token_type)),
		expiresIn: sizeOf(expires_in),
		claims: TIME_CLAIMS.filter((name) => Object.hasOwn(claims ?? {}, name)),
		...(lifetime !== undefined && {
			lifetimeSeconds: Math.round(lifetime),
			...(lifetime > 0 && isNumber(expires_in) && { unit: unitOf(Number(expires_in), lifetime) }),
		}),
		isRepeated: earlier.includes(token),
	};
}

function claimsOf(token: string): Record<string, unknown> | undefined {
	try {
		return jwtDecode<Record<string, unknown> | null>(token) ?? undefined;
	} catch {
		return undefined;
	}
}

function isNumber(value: unknown): boolean {
	return /number/.test(typeOf(value));
}

/** `number in a text, 4 digits`. */
function sizeOf(value: unknown): string {
	if (value === undefined) return 'missing';
	const type = typeOf(value);
	if (!isNumber(value)) return type;
	const digits = String(value).match(/\d/g)?.length ?? 0;
	const decimals = /\./.test(String(value)) ? ', with decimals' : '';
	return `${type}, ${digits} ${digits === 1 ? 'digit' : 'digits'}${decimals}`;
}

function unitOf(expiresIn: number, lifetimeSeconds: number): NonNullable<TokenSeen['unit']> {
	/** Services count from slightly different moments. */
	const TOLERANCE = 0.05;
	const units = Object.entries(UNITS) as [keyof typeof UNITS, number][];
	const unit = units.find(
		([, seconds]) => Math.abs((expiresIn * seconds) / lifetimeSeconds - 1) < TOLERANCE,
	);
	return unit?.[0] ?? 'no known unit';
}
