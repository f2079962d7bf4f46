import type { FailureText } from './failureText';
import { capitalise, CHECK_BASE_URL, SENTENCES, TRY_LATER } from './phrases';
import { LOGIN, type Subject } from './subject';

/* Why a request failed, be it a login or for a document. What can only happen to a login is in `login.ts`. */

const PASS_ON_THE_CODE =
	'give the code in brackets to the people who run your n8n, or to the operator of the service';

/** Why there is no answer. Messages contain the code of Node.js or OpenSSL, because administrators search for it. */
export const CONNECTION_MESSAGES = {
	/** @param proxy host and port. */
	proxy: (subject: Subject, proxy: string): FailureText => ({
		message: `The proxy ${proxy} could not be reached${subject.consequence}`,
		description:
			'Ask the people who run your n8n whether the proxy works, and whether its address is right: it begins with http://.',
		note: 'n8n is set up to send requests through it (HTTPS_PROXY or HTTP_PROXY).',
		failureKey: 'proxy',
	}),
	unreachable: (subject: Subject, code: string): FailureText => ({
		message: `The service could not be reached (${code})${subject.consequence}`,
		description:
			"Try again later, because the service may be down, or check 'Base URL' in the credential.",
		note: 'The machine that runs n8n must reach this address, through its proxy (HTTPS_PROXY) if it uses one.',
	}),
	broken: (subject: Subject, code: string): FailureText => ({
		message: `The connection to the service was lost (${code})${subject.consequence}`,
		description: 'Try again later.',
		note: 'If this continues, contact the operator of the service, or the people who run your n8n.',
	}),
	certificate: (subject: Subject, code: string): FailureText => ({
		message: `The certificate of the service is not trusted (${code})${subject.consequence}`,
		description:
			'Ask the people who run your n8n to check the clock of its machine and, if your company inspects traffic, to let n8n trust its certificate (NODE_EXTRA_CA_CERTS).',
		note: 'If neither helps, contact the operator of the service.',
	}),
	/** The other end speaks no HTTP or HTTPS, or not as n8n does. */
	protocol: (subject: Subject, code: string): FailureText => ({
		message: `n8n could not communicate with the service (${code})${subject.consequence}`,
		...(subject === LOGIN
			? {
					description:
						"Check the beginning (https:// or http://) and the port of 'Base URL' in the credential.",
					note: `If they are right, ${PASS_ON_THE_CODE}.`,
				}
			: // After a login, the address is right.
				{ description: `${capitalise(PASS_ON_THE_CODE)}.` }),
	}),
	/** @param reasons why, in n8n's words. */
	helperFailed: (subject: Subject, reasons: readonly string[]): FailureText => ({
		message: `n8n did not send ${subject.request}`,
		description: reasons
			.filter((reason) => reason !== '')
			.map((reason) => (/[.!?]$/.test(reason) ? reason : `${reason}.`))
			.join(' '),
		failureKey: 'helperFailed',
	}),
};

/** What an unsuccessful status means (`service/status.ts`). */
export const STATUS_MESSAGES = {
	proxyLogin: (): FailureText => ({
		message: 'A proxy between n8n and the service requires a login',
		description:
			'Ask the people who run your n8n to set HTTPS_PROXY with the username and password of the proxy.',
		failureKey: 'proxy',
	}),
	badRequest: (subject: Subject): FailureText => ({
		message: `The service did not accept ${subject.request}`,
		description:
			"Check 'Data Request Version' in the credential: the service may no longer support this version.",
		note: 'If the node asks for further parts of the site, check these next.',
	}),
	unauthorized: (subject: Subject): FailureText => ({
		message: `The service rejected ${subject.request} (status 401)`,
		description: 'Ask the operator of the service whether this account may read it.',
		note: 'A new login did not help, now or within the last five minutes.',
	}),
	/** n8n must not send a request of another package's node twice. */
	unauthorizedRequest: (): FailureText => ({
		message: 'The service rejected the request (status 401)',
		description: 'Run the node again: n8n logs in first.',
		note: "If the request only reads, turn on 'Retry On Fail' in the settings of the node.",
	}),
	forbidden: (subject: Subject): FailureText => ({
		message: `This account may not read ${subject.name}`,
		description:
			'Ask the operator of the service for the right to read it, or use another account.',
	}),
	unknown: (subject: Subject): FailureText => ({
		message: `The service does not know ${subject.name}`,
		description: 'Check the site ID.',
		note: `${SENTENCES.ignoreMissingAdvice()} If no site is found, check 'Base URL' in the credential.`,
	}),
	/** For a site of 'All Sites', instead of the description above: nobody has entered its ID in the node. */
	unknownInAllSites: () => ({
		description: "Correct its line in 'Known Sites' in the credential.",
	}),
	unprocessable: (subject: Subject): FailureText => ({
		message: `The service could not carry out ${subject.request}`,
		description: 'Try again.',
		note: 'If that does not help, contact the operator of the service.',
	}),
	serverError: (subject: Subject, statusCode: number): FailureText => ({
		message: `The service could not answer ${subject.request} (status ${statusCode})`,
		...TRY_LATER,
	}),
	/** @param location absent for a login: it may contain the password in a form that is not recognised. */
	redirected: (subject: Subject, location?: string): FailureText => ({
		message: `The service pointed to another address for ${subject.name}${location === undefined ? '' : `: ${location}`}`,
		description: "If the service has moved, enter its new address as 'Base URL' in the credential.",
		note: 'Nothing was sent there, because it may not belong to the service.',
	}),
	other: (subject: Subject, statusCode: number): FailureText => ({
		message: `The service answered ${subject.request} with status ${statusCode}`,
		description: `Check 'Base URL' in the credential, or ask the operator of the service what this status means.`,
	}),
};

/** Why the body of an answer cannot be used. */
export const ANSWER_MESSAGES = {
	empty: (subject: Subject): FailureText => ({
		message: `${subject.answer} is empty`,
		...CHECK_BASE_URL,
		failureKey: 'empty',
	}),
	html: (subject: Subject): FailureText => ({
		message: `${subject.answer} is a web page`,
		description:
			"Check 'Base URL' in the credential: it may lead to a website, a login page or a proxy.",
		note: CHECK_BASE_URL.note,
		failureKey: 'html',
	}),
	malformed: (subject: Subject): FailureText => ({
		message: `${subject.answer} cannot be read`,
		description: 'Try again: it may have been cut off.',
		note: `If that does not help, check 'Base URL' in the credential. ${CHECK_BASE_URL.note}`,
		failureKey: 'malformed',
	}),
	tooLarge: (subject: Subject, limitBytes: number): FailureText => ({
		message: `${subject.answer} is larger than ${limitBytes / 1024 / 1024} MB`,
		description:
			'Read fewer parts of it, such as no units, or contact the operator of the service.',
		failureKey: 'tooLarge',
	}),
	/** @param reason why the document is not accepted: the end of the sentence. */
	unusable: (subject: Subject, reason: string): FailureText => ({
		message: `${subject.answer} cannot be used: ${reason}`,
		description:
			"Check 'Data Request Version' in the credential: the service or its interface may have changed.",
		note: CHECK_BASE_URL.note,
		failureKey: `unusable ${reason}`,
	}),
};
