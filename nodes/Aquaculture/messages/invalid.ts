import type { Failure } from './failure';
import {
	CORRECT_LINES,
	listLines,
	plural,
	quote,
	SENTENCES,
	truncate,
	type Lines,
} from './phrases';

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

/** Who reads a message about a field of the node. */
interface Audience {
	/** Whether it is for an AI agent, which can only call the tool again. */
	isTool: boolean;
	/** Whether the field is evaluated for each item. */
	hasItems: boolean;
}

function howToCorrect(label: string, { isTool, hasItems }: Audience): string {
	if (isTool) return 'Call this tool again with a value that is accepted, or ask the user for one.';
	const check = hasItems
		? 'check what the previous node returns for this item'
		: 'check its result';
	return `Correct '${label}' in the node. If it contains an expression, ${check}.`;
}

/** About the fields and input items of a node. */
export const NODE_MESSAGES = {
	/** Shown instead of a list of sites. */
	noSites: () => "Enter 'Known Sites' in the credential, or choose 'By ID'",
	field: (
		label: string,
		{ reason, description, toolDescription }: Invalid,
		audience: Audience,
	): Failure => ({
		message: `'${label}' ${reason}`,
		description:
			(audience.isTool ? toolDescription : undefined) ??
			description ??
			howToCorrect(label, audience),
	}),
	/**
	 * @param items the unusable items, counted from 1.
	 * @param advice what to do about the first one.
	 */
	unusableItems: (
		items: ReadonlyArray<{ number: number; message: string }>,
		advice: string,
	): Failure => {
		const MAX_NAMED = 3;
		const [first, ...others] = items;
		const continueWithout = SENTENCES.continueWithout(others.length === 0 ? 'item' : 'items');
		if (first && others.length === 0) {
			return {
				message: `${first.message} (input item ${first.number})`,
				description: `${advice} ${continueWithout}`,
			};
		}
		const named = items.slice(0, MAX_NAMED);
		const unnamed = items.length - named.length;
		return {
			message: `${items.length} input items cannot be used (first: item ${first?.number})`,
			description: [
				...named.map(({ number, message }) => `Item ${number}: ${message}.`),
				...(unnamed > 0 ? [`${plural(unnamed, 'more item')} cannot be used either.`] : []),
				`${advice} ${continueWithout}`,
			].join('\n'),
		};
	},
	customApiCall: (): Failure => ({
		message: 'This node does not support custom API calls',
		description: "Choose an operation, or use n8n's HTTP Request node with this credential.",
	}),
	operation: (name: string): Failure => ({
		message: `The operation ${quote(name)} does not exist`,
		description:
			'Choose an operation in the node. The workflow may have been made for another version of it.',
	}),
};

/** What is wrong with a credential, or with a request that uses it. */
export const CREDENTIAL_MESSAGES = {
	field: (label: string, { reason, description }: Invalid): Failure => ({
		message: `'${label}' ${reason}`,
		description: description ?? `Correct '${label}' in the credential.`,
	}),
	/** Only the credential test says this. */
	knownSites: (lines: Lines): Failure => ({
		message: `The login works, but some lines of 'Known Sites' add no site: ${listLines(lines)}`,
		description: CORRECT_LINES,
	}),
	/** n8n then asks for no other token before it sends a request of an HTTP Request node. */
	savedToken: (): Failure => ({
		message: "The credential contains an 'Access Token' that somebody has saved with it",
		description: 'Create the credential again in n8n, which leaves that field empty.',
	}),
	/** @param number an input item, counted from 1. */
	differs: (number: number): Failure => ({
		message: `The credential differs between the first input item and item ${number}`,
		description:
			'Replace the expressions in the credential with fixed values, or read the items of each account in a separate execution, for example in a sub-workflow. An execution uses one account for all items, so nothing was sent.',
	}),
	domains: (origin: string): Failure => ({
		message: `'Allowed HTTP Request Domains' in the credential leaves out ${origin}`,
		description: "Add the domain of 'Base URL' to the allowed domains in the credential.",
	}),
	method: (method: unknown): Failure => ({
		message: `The method ${quote(method)} is not allowed with this credential`,
		description: 'Choose another method, such as GET or POST.',
	}),
	otherAddress: (origin: string): Failure => ({
		message: `The request goes to an address that this credential is not for`,
		description: `Use an address that begins with ${origin}/, without a username in it, or choose another credential.`,
	}),
};
