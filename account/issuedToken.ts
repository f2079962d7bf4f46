/** A token with what is known about it. Times are milliseconds since 1970 by this machine's clock. */
export interface IssuedToken {
	value: string;
	issuedAt: number;
	/** When it is likely to expire; absent if that is not known. */
	endsAt?: number | undefined;
}

/** Whether the token has expired, or would expire before the request arrives. */
export function hasEnded({ issuedAt, endsAt }: IssuedToken, now: number): boolean {
	const LONGEST_MARGIN_MS = 10_000;
	if (endsAt === undefined) return false;
	return now >= endsAt - Math.min(LONGEST_MARGIN_MS, (endsAt - issuedAt) / 10);
}
