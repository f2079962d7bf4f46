import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { redactor, type Redact } from '../../../service/redact';

/** What takes the credential's secrets out of what the service sends. */
export interface Redaction {
	/** For failures. */
	redact: Redact;
	/** For data, where a password cannot be told from data: it may be the name of a site. */
	redactData: Redact;
}

/** @param credential is read each time, since n8n may put another token in. */
export function redactionOf(credential: ICredentialDataDecryptedObject): Redaction {
	return {
		redact: (text) => redactor([credential.password, credential.accessToken])(text),
		redactData: (text) => redactor([credential.accessToken])(text),
	};
}
