import { LoggerProxy } from 'n8n-workflow';

/** Writes to n8n's log at debug level. @param details without secrets; times in milliseconds. */
export function logDebug(
	{ username, origin }: { username: string; origin: string },
	message: string,
	details: Record<string, unknown>,
): void {
	const account = `${username.slice(0, Math.min(2, username.length / 4))}***`;
	LoggerProxy.debug(`Aquaculture: ${message}`, { account, origin, ...details });
}
