import type {
	ICredentialTestFunctions,
	ICredentialsDecrypted,
	INodeCredentialTestResult,
} from 'n8n-workflow';

/** Tests a credential. Node and trigger both have it, because n8n calls whichever it finds first. */
export async function testAccount(
	this: ICredentialTestFunctions,
	{ data = {} }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const { testCredential } = await import('../login/credentialTest');
	const { withOlderHelper } = await import('./olderHelper');
	const message = await testCredential(data, withOlderHelper(this.helpers));
	return message === undefined
		? { status: 'OK', message: 'Connection successful!' }
		: { status: 'Error', message };
}
