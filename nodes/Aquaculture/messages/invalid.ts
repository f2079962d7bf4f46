import { quote, truncate } from '../utils/text';

/** Why a value cannot be used. */
export interface Invalid {
	/** Ends a sentence that begins with the name of the field: "'Site' is empty". */
	reason: string;
	/** What to do, unless correcting the value says it all. */
	description?: string;
	/** The same for an AI agent, if that differs. */
	toolDescription?: string;
}

/** The value of any field. */
export const INVALID_VALUE = {
	empty: (): Invalid => ({ reason: 'is empty' }),
	notWholeNumber: (input: unknown): Invalid => ({
		reason: `contains a value that is not a whole number: ${quote(input)}`,
	}),
	idTooLarge: (input: unknown): Invalid => ({
		reason: `contains a number that is too large for a site ID: ${quote(input)}`,
	}),
	idFormat: (input: unknown): Invalid => ({
		reason: `contains an ID in another form than plain digits: ${quote(input)}`,
		description: 'Write each ID as digits only, with commas between IDs: 1001, 1002.',
	}),
	notIdList: (input: unknown): Invalid => ({
		reason: `is not a list of site IDs: ${quote(input)}`,
	}),
	notText: (input: unknown): Invalid => ({ reason: `is not text: ${quote(input)}` }),
	unsendable: (): Invalid => ({ reason: 'contains a character that cannot be sent' }),
	notDate: (input: unknown): Invalid => ({
		reason: `is not a date in the form YYYY-MM-DD: ${quote(input)}`,
	}),
	countOutOfRange: (input: unknown, min: number, max: number): Invalid => ({
		reason: `is not a whole number from ${min} to ${max}: ${quote(input)}`,
	}),
	durationOutOfRange: (input: unknown, unit: string, min: number, max: number): Invalid => ({
		reason: `is not a number of ${unit} from ${min} to ${max}: ${quote(input)}`,
	}),
	notBoolean: (input: unknown): Invalid => ({
		reason: `is neither true nor false: ${quote(input)}`,
	}),
	notChoices: (input: unknown): Invalid => ({
		reason: `is not a list of choices: ${quote(input)}`,
	}),
	unknownChoice: (choice: unknown): Invalid => ({
		reason: `contains a choice that does not exist: ${quote(choice)}`,
	}),
};

/** The value of a field that names sites. */
export const INVALID_SITE = {
	severalSites: (input: unknown): Invalid => ({
		reason: `contains a list of sites: ${quote(input)}`,
		description: "Choose the operation 'Get Many Sites' to read several sites.",
		toolDescription: 'Call this tool once for each site.',
	}),
	unknownName: (name: string): Invalid => ({
		reason: `contains an unknown site: ${quote(name)}`,
		description:
			"Enter the ID of the site, or its name from 'Known Sites' in the credential, such as 1001, Storvågen or Storvågen (1001).",
		toolDescription: 'Call this tool again with a known name or an ID, or ask the user.',
	}),
	sharedName: (name: string, siteIds: readonly number[]): Invalid => ({
		reason: `names more than one site: ${quote(name)}`,
		description: `Enter one of these IDs instead: ${siteIds.slice(0, 10).join(', ')}${siteIds.length > 10 ? ' and others' : ''}.`,
	}),
	noKnownSites: (): Invalid => ({
		reason: "needs 'Known Sites', which contains no site",
		description:
			"Enter your sites in 'Known Sites' in the credential, one per line, its ID and then its name, or choose 'By ID'.",
	}),
};

/** The value of a field of the credential. */
export const INVALID_CREDENTIAL = {
	notHttps: (): Invalid => ({
		reason: 'must begin with https://',
		description:
			'Enter the address in the credential as the operator of the service gave it to you.',
	}),
	plainHttp: (): Invalid => ({
		reason: 'must begin with https://',
		description:
			"With http:// the password is sent unencrypted. If the operator of the service offers nothing else, turn on 'Allow Plain HTTP' in the credential.",
	}),
	notText: (): Invalid => ({ reason: 'is not text' }),
	notAddress: (): Invalid => ({ reason: 'is not a web address' }),
	notHeaderName: (): Invalid => ({
		reason: 'contains a character that header names do not allow',
	}),
	headerInUse: (header: string): Invalid => ({
		reason: `cannot be ${truncate(header)}: n8n uses this header itself`,
	}),
};

/** A documented field that the service sent with another type. */
export const WRONG_TYPE = {
	wholeNumber: 'is not a whole number',
	exactNumber: 'is too large to be read exactly',
	number: 'is not a number',
	text: 'is not text',
	object: 'is not an object',
	list: 'is not a list of objects',
};

/** An answer: the end of the sentence "The answer for site 1001 cannot be used: …". */
export const INVALID_ANSWER = {
	notAnObject: (): Invalid => ({ reason: 'it is not a JSON object' }),
	noSiteFields: (fields: readonly string[]): Invalid => ({
		reason: `it contains none of the fields of a site (${fields.join(', ')})`,
	}),
	otherSite: (siteId: unknown): Invalid => ({
		reason: `it is about site ${String(siteId).trim()}`,
	}),
};
