import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { redactor, type Redact } from '../../../shared/redact';

/** What takes the credential's secrets out of what the service sends. */
export interface Redaction {
	/** For failures. */
	redact: Redact;
	/** For data, which may by chance contain the characters of a short password. */
	redactData: Redact;
}

const SHORTEST_SECRET = 8;

/** @param credential is read each time, since n8n may put another token in. */
export function redactionOf(credential: ICredentialDataDecryptedObject): Redaction {
	const { password } = credential;
	const secret = String(password).length < SHORTEST_SECRET ? '' : password;
	return {
		redact: (text) => redactor([password, credential.accessToken])(text),
		redactData: (text) => redactor([secret, credential.accessToken])(text),
	};
}
