import type { Failure, Subject } from '../messages/failure';
import { CHECK_BASE_URL } from '../messages/phrases';

/* Why the body of a successful answer cannot be used. None has a cause: nobody knows who or what has to change. */

export const BODY_FAILURES = {
	empty: (subject: Subject): Failure => ({
		message: `${subject.answer} is empty`,
		...CHECK_BASE_URL,
	}),
	html: (subject: Subject): Failure => ({
		message: `${subject.answer} is a web page`,
		description:
			"Check 'Base URL' in the credential: it may lead to a website, a login page or a proxy.",
		note: CHECK_BASE_URL.note,
	}),
	malformed: (subject: Subject): Failure => ({
		message: `${subject.answer} is not JSON in UTF-8`,
		description: 'Try again.',
		note: `If that does not help, check 'Base URL' in the credential. ${CHECK_BASE_URL.note}`,
	}),
	tooLarge: (subject: Subject, maxBytes: number): Failure => ({
		message: `${subject.answer} is larger than ${maxBytes / 1024 / 1024} MB`,
		// A trigger has no 'Include Units'.
		description: 'Read the site without its units, or contact the operator of the service.',
	}),
	/** @param reason why the document is not accepted: the end of the sentence. */
	unusable: (subject: Subject, reason: string): Failure => ({
		message: `${subject.answer} cannot be used: ${reason}`,
		description:
			"Check 'Data Request Version' in the credential: the service or its interface may have changed.",
		note: CHECK_BASE_URL.note,
	}),
	noToken: (): Failure => ({
		message: 'The answer to the login contains no usable token',
		...CHECK_BASE_URL,
	}),
};
