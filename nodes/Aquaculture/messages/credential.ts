import { quote } from '../utils/text';
import type { FailureText } from './failureText';
import type { Invalid } from './invalid';
import { ADD_NO_SITE, CORRECT_LINES, listLines, type Lines } from './phrases';

/** What is wrong with a credential, or with a request that uses it. */
export const CREDENTIAL_MESSAGES = {
	field: (label: string, { reason, description }: Invalid): FailureText => ({
		message: `'${label}' ${reason}`,
		description: description ?? `Correct '${label}' in the credential.`,
	}),
	/** Only the credential test says this. */
	knownSites: (lines: Lines): FailureText => ({
		message: `Some lines of 'Known Sites' ${ADD_NO_SITE}: ${listLines(lines)}`,
		description: `The login works. ${CORRECT_LINES}`,
	}),
	/** Only the credential test says this: the lines are read as one site each. */
	doubtfulLines: (lines: Lines): FailureText => ({
		message: `Some lines of 'Known Sites' may name two sites: ${listLines(lines)}`,
		description:
			'The login works, and each line is read as one site. Write each site on a line of its own, or, if a number belongs to the name, put the name in quotation marks, such as 1001 "Storvågen 1002".',
	}),
	/** @param number an input item, counted from 1. */
	differs: (number: number): FailureText => ({
		message: `The credential differs between the first input item and item ${number}`,
		description:
			'Replace the expressions in the credential with fixed values, or read the items of each account in a separate execution, for example in a sub-workflow. An execution uses one account for all items, so nothing was sent.',
	}),
	domains: (origin: string): FailureText => ({
		message: `'Allowed HTTP Request Domains' in the credential leaves out ${origin}`,
		description: "Add the domain of 'Base URL' to the allowed domains in the credential.",
	}),
	method: (method: unknown): FailureText => ({
		message: `The method ${quote(method)} is not allowed with this credential`,
		description: 'Choose another method, such as GET or POST.',
	}),
	otherAddress: (origin: string): FailureText => ({
		message: `The request goes to an address that this credential is not for`,
		description: `Use an address that begins with ${origin}/, without a username in it, or choose another credential.`,
	}),
};
