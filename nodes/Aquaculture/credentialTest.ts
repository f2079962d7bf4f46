import type {
	ICredentialTestFunctions,
	ICredentialsDecrypted,
	INodeCredentialTestResult,
} from 'n8n-workflow';

/** For node and trigger alike: n8n asks whichever it finds first. */
export async function testAccount(
	this: ICredentialTestFunctions,
	credential: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const { testCredential } = await import('./account/credentialTest');
	return await testCredential.call(this, credential);
}
