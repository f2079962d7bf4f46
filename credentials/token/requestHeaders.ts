import type { IssuedToken } from '../../account/issuedToken';
import type { Connection } from '../../account/connection';
import { checkAddress, confined, mergeHeaders, type RequestOptions } from './confinement';
import { TokenFailure } from './tokenFailure';

/**
 * A request with the token and the version header.
 *
 * @param replaceable a header `Authorization` that may be replaced.
 * @throws TokenFailure when the address is not the service's own.
 */
export function signed(
	options: RequestOptions,
	connection: Connection,
	token: IssuedToken,
	replaceable?: string,
): RequestOptions {
	const { url, failure } = checkAddress(options, connection);
	if (failure) throw new TokenFailure(failure);
	const headers = mergeHeaders(options.headers, replaceable, {
		Authorization: bearer(token),
		[connection.versionHeader]: connection.dataVersion,
	});
	return { ...confined(options, url, connection), headers };
}

/** The value of the header `Authorization`. */
export function bearer({ value }: IssuedToken): string {
	return `Bearer ${value}`;
}
