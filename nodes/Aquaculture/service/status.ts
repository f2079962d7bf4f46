/** The account has exceeded its rate (docs/service-interface.md, "Rate Limits"). */
export const TOO_MANY_REQUESTS = 429;

const RETRYABLE = [408, 500, 502, 503, 504];

export function isSuccess(statusCode: number): boolean {
	return statusCode >= 200 && statusCode <= 299;
}

/** Returns whether the same request may succeed a little later. */
export function isRetryableStatus(statusCode: number): boolean {
	return RETRYABLE.includes(statusCode);
}
