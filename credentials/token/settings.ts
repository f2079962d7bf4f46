import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { checkConnection, type Connection } from '../../account/connection';
import { MESSAGES } from '../../texts/messages';
import { TokenFailure } from './tokenFailure';

/**
 * The settings that a credential holds.
 *
 * @throws TokenFailure that names the setting that cannot be used.
 */
export function connectionOf(credential: ICredentialDataDecryptedObject): Connection {
	const { value: connection, failure } = checkConnection(credential);
	if (failure) throw new TokenFailure(failure);
	return connection;
}

/**
 * Applies n8n's own setting of the domains that a credential may be used for.
 *
 * @throws TokenFailure if the service is not among them.
 */
export function checkDomains(
	credential: ICredentialDataDecryptedObject,
	connection: Connection,
): void {
	if (!allowsDomain(credential, connection.baseUrl)) {
		throw new TokenFailure(MESSAGES.credential.domains(connection.origin));
	}
}

/**
 * Whether n8n's "Allowed HTTP Request Domains" allow an address: a list separated by commas, in which `*.` stands for any
 * subdomain. n8n has a function for it, whose parameters differ between 1.x and 2.x.
 */
function allowsDomain(
	{ allowedHttpRequestDomains, allowedDomains }: ICredentialDataDecryptedObject,
	url: string,
): boolean {
	if (allowedHttpRequestDomains !== 'domains') return true;
	const host = new URL(url).hostname;
	return String(allowedDomains ?? '')
		.split(',')
		.map((domain) => domain.trim().toLowerCase())
		.some((domain) => (domain.startsWith('*.') ? host.endsWith(domain.slice(1)) : host === domain));
}
