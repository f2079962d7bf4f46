import { accountOfCredential } from '../../../credentials/token/account';
import { accountOf } from '../../../shared/account/accounts';
import type { RequestContext } from '../../../shared/account/requestContext';
import { checkConnection, type Connection } from '../../../shared/connection';
import { credentialFor } from './credentialFor';

const credential = credentialFor('https://data.example.com/v1', 'staff', 'Laks & ørret');
const account = accountOf(checkConnection(credential).value as Connection);

/** The message and description with which a credential fails; undefined where it does not. */
function failureOf(fields: object, context?: RequestContext): [string, string] | undefined {
	try {
		accountOfCredential({ ...credential, ...fields }, context);
	} catch (error) {
		const { message, description } = error as Error & { description: string };
		return [message, description];
	}
	return undefined;
}

describe("n8n's allowed domains", () => {
	const restricted = (allowedDomains?: string) => ({
		allowedHttpRequestDomains: 'domains',
		...(allowedDomains !== undefined && { allowedDomains }),
	});

	it.each([
		{ allowedHttpRequestDomains: 'none', allowedDomains: '' },
		restricted('data.example.com'),
		restricted('Data.Example.COM'),
		restricted('example.org,data.example.com'),
		restricted(' data.example.com , example.org'),
		restricted('*.example.com'),
		restricted('*.com'),
	])('of %j allow the service', (fields) => {
		expect(failureOf(fields)).toBeUndefined();
	});

	it.each([
		undefined,
		'',
		',',
		'example.com',
		'ata.example.com',
		'*.data.example.com',
		'*.xample.com',
		'data.example.*',
		'data.example.com.',
		'data.example.com/v1',
	])('of "%s" do not, also for requests of the node', (allowedDomains) => {
		const failure = [
			"'Allowed HTTP Request Domains' in the credential leaves out https://data.example.com",
			"Add the domain of 'Base URL' to the allowed domains in the credential.",
		];

		expect(failureOf(restricted(allowedDomains))).toEqual(failure);
		expect(failureOf(restricted(allowedDomains), { account } as RequestContext)).toEqual(failure);
	});

	it('are none where none is listed, whatever the service is called', () => {
		expect(failureOf({ ...restricted(), baseUrl: 'https://undefined' })).toBeDefined();
	});
});

it('a request of the node has the account that the node has checked', () => {
	expect(accountOfCredential(credential, { account } as RequestContext)).toBe(account);
	expect(accountOfCredential(credential, undefined)).toEqual(account);
});
