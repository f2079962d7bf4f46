import { quote, type Checked } from './checked';

/* The faults that checks find. texts/messages.ts builds the messages that people read from them. */

/** The outcome of a check that fails. */
export type Fault = Extract<Checked<unknown>, { fault: string }>;

/** What is wrong with a value for a request: the end of a sentence that begins with the name of its field. */
export const VALUE_FAULTS = {
	empty: (): Fault => ({ fault: 'is empty' }),
	notWholeNumber: (typed: unknown): Fault => ({ fault: `is not a whole number: ${quote(typed)}` }),
	idTooLarge: (typed: unknown): Fault => ({
		fault: `is too large for a site ID: ${quote(typed)}`,
	}),
	idSpelling: (typed: unknown): Fault => ({
		fault: `has leading zeros or thousands separators: ${quote(typed)}`,
		description: 'Write the ID as digits only, such as 1001.',
	}),
	notIdList: (typed: unknown): Fault => ({
		fault: `is not a list of site IDs: ${quote(typed)}`,
	}),
	notIds: (entries: readonly unknown[]): Fault => ({
		fault:
			entries.length === 1
				? `contains an entry that is not a site ID: ${listOf(entries)}`
				: `contains ${entries.length} entries that are not site IDs: ${listOf(entries)}`,
	}),
	idSpellings: (entries: readonly unknown[]): Fault => ({
		fault:
			entries.length === 1
				? `contains a number with leading zeros or thousands separators: ${listOf(entries)}`
				: `contains ${entries.length} numbers with leading zeros or thousands separators: ${listOf(entries)}`,
		description:
			'Write each ID without leading zeros or thousands separators, with commas between IDs: 1001, 1002.',
	}),
	notText: (typed: unknown): Fault => ({ fault: `is not a text: ${quote(typed)}` }),
	unsendable: (): Fault => ({ fault: 'contains a character that cannot be sent' }),
	notDate: (typed: unknown): Fault => ({
		fault: `is not a date in the form YYYY-MM-DD: ${quote(typed)}`,
	}),
	countOutside: (typed: unknown, smallest: number, largest: number): Fault => ({
		fault: `is not a whole number from ${smallest} to ${largest}: ${quote(typed)}`,
	}),
};

/** The first entries of a list, quoted. */
function listOf(entries: readonly unknown[]): string {
	const MAX_NAMED = 3;
	const named = entries.slice(0, MAX_NAMED).map(quote).join(', ');
	return entries.length > MAX_NAMED ? `${named} and ${entries.length - MAX_NAMED} more` : named;
}

/** What is wrong with the value of a field that the service has sent. */
export const TYPE_FAULTS = {
	wholeNumber: 'is not a whole number',
	exactNumber: 'is too large to be read exactly',
	number: 'is not a number',
	text: 'is not a text',
	object: 'is not an object',
	list: 'is not a list',
};

/** What is wrong with an answer: the end of the sentence "The answer for site 1001 cannot be used: …". */
export const ANSWER_FAULTS = {
	notASite: () => 'it does not have the form of a site',
	noSiteFields: (fields: readonly string[]) =>
		`it contains none of the fields of a site (${fields.join(', ')})`,
	/** @param fields those at the top of the answer. */
	noSites: (fields: readonly string[]) =>
		`it contains no object with a site ID in 'siteId'${fields.length > 0 ? `, but the fields ${listOf(fields)}` : ''}`,
	/** @param ids the first of them. */
	unusableIds: (ids: readonly string[]) =>
		`none of its site IDs can be used: ${listOf(ids)}. An ID is a whole number without leading zeros, below 2^53`,
	otherSite: (siteId: number) => `it is about site ${siteId}`,
	/** @param fault one of {@link TYPE_FAULTS}. */
	field: (path: string, fault: string) => `'${path}' ${fault}`,
};
