import { checkDomains, connectionOf } from '../../../credentials/token/settings';
import { TokenFailure } from '../../../credentials/token/tokenFailure';
import { checkConnection } from '../../../account/connection';
import { credentialFor } from './credentialFor';

const credential = credentialFor('https://data.example.com/v1', 'staff', 'Laks & ørret');

/** What a credential fails with; undefined if it does not. */
function failureOf(fields: object): TokenFailure | undefined {
	const edited = { ...credential, ...fields };
	try {
		checkDomains(edited, connectionOf(edited));
	} catch (error) {
		return error as TokenFailure;
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
	])("n8n's allowed domains of %j allow the service", (fields) => {
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
	])(`n8n's allowed domains of "%s" do not`, (allowedDomains) => {
		const failure = failureOf(restricted(allowedDomains));

		expect(failure).toBeInstanceOf(TokenFailure);
		expect(failure).toMatchObject({
			message:
				"'Allowed HTTP Request Domains' in the credential leaves out https://data.example.com",
			description: "Add the domain of 'Base URL' to the allowed domains in the credential.",
			errorCode: 'NO_ACCESS_TOKEN domains',
		});
	});

	it("n8n's allowed domains are none where none is listed, whatever the service is called", () => {
		expect(failureOf({ ...restricted(), baseUrl: 'https://undefined' })).toBeDefined();
	});
});

it('the settings of a credential are those that the node checks', () => {
	expect(connectionOf(credential)).toEqual(checkConnection(credential).value);
});

it('a setting that cannot be used is named, in a form that n8n hands on to the user', () => {
	const failure = failureOf({ baseUrl: 'data.example.com' });

	expect(failure).toBeInstanceOf(TokenFailure);
	expect(failure?.message).toMatch(/^'Base URL' must begin with https:\/\//);
});
