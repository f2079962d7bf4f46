import { HOUR_MS, MINUTE_MS } from '../utils/time';
import { ReauthBackoff } from './reauthBackoff';
import type { AccessToken } from '../service/token';

/** Time between two logins because HTTP Request nodes fail. A node that always gets 404 costs six logins in the first hour. */
const LOGIN_INTERVAL_MS = { min: MINUTE_MS, max: HOUR_MS };

/**
 * Decides which token HTTP Request nodes must not use again. A failure may mean the token or anything else: n8n does not say.
 * So the first failure makes a token suspect, unless there was a login for that reason a short while ago.
 */
export class HttpNodeTokens {
	private readonly backoff = new ReauthBackoff(LOGIN_INTERVAL_MS);
	private suspect: AccessToken | undefined;
	/** The token in use, when it was used first, and whether a request has failed with it. */
	private inUse: { token: AccessToken; since: number; hasFailed: boolean } | undefined;

	isSuspect(token: AccessToken): boolean {
		return token === this.suspect;
	}

	reportSent(token: AccessToken, now: number): void {
		if (this.inUse?.token !== token) this.inUse = { token, since: now, hasFailed: false };
	}

	reportFailed(token: AccessToken, now: number): void {
		if (this.isSuspect(token)) return;
		const inUse =
			this.inUse?.token === token ? this.inUse : { token, since: now, hasFailed: false };
		const usedMs = inUse.hasFailed ? 0 : now - inUse.since;
		// Requests succeeded with this token for a while, so the last login has helped.
		if (usedMs >= LOGIN_INTERVAL_MS.min) this.backoff.reportSucceeded();
		this.inUse = { ...inUse, hasFailed: true };
		if (this.backoff.tryStart(now)) this.suspect = token;
	}
}
