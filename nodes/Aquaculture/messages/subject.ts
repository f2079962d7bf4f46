/** What a request is for, in the words of the messages about it. */
export interface Subject {
	/** "site 1001", or "the login". */
	name: string;
	/** "the request for site 1001", or "the login". */
	request: string;
	/** "The answer for site 1001", or "The answer to the login". */
	answer: string;
	/** Ends a sentence: ", so site 1001 was not read"; empty for the login. */
	consequence: string;
}

export const LOGIN: Subject = {
	name: 'the login',
	request: 'the login',
	answer: 'The answer to the login',
	consequence: '',
};

/** @param name names the document within a sentence: "site 1001". */
export function documentSubject(name: string): Subject {
	return {
		name,
		request: `the request for ${name}`,
		answer: `The answer for ${name}`,
		consequence: `, so ${name} was not read`,
	};
}
