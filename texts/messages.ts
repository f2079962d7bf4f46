import type { Fault } from './faults';
import { quote, shortened } from './checked';
import { spellDuration, spellMinutes, spellRate, spellSeconds } from './duration';
import type { KnownSiteFault } from './fieldFaults';

/** What documents of a kind are called in a sentence. */
export interface Kind {
	one: string;
	many: string;
}

/** What the user reads about a failure: the message says what happened, the description what to do next. */
export interface FailureText {
	message: string;
	description: string;
	/**
	 * Identifies a continuing failure if it has no status. It stays the same, unlike the message, which may contain times and
	 * counts.
	 */
	cause?: string;
}

/** What an account may send, and what keeps it from sending more. */
export interface Limit {
	requestsPerMinute: number;
	/** The number itself, or that the service has refused requests: nothing is sent, or fewer are. */
	cause: 'number' | 'stopped' | 'lowered';
}

/** Subject of the messages about an exchange of username and password. Other subjects are documents: "site 1001". */
export const LOGIN = 'the login';

/** Fields that messages refer to, as the panel shows them. */
export const OPTIONS = {
	concurrentRequests: 'Sites Read at Once',
	dataVersion: 'Data Request Version',
	ignoreMissing: 'Ignore Missing Sites',
	maxTime: 'Maximum Time per Site (Seconds)',
	maxWait: 'Maximum Wait (Minutes)',
	returnAll: 'Return All',
	timeout: 'Timeout (Seconds)',
} as const;

/** The choice under 'Sites' that needs no other field. */
export const ALL_SITES = 'All Sites';

const requestFor = (subject: string) => (subject === LOGIN ? LOGIN : `the request for ${subject}`);
const answerTo = (subject: string) =>
	subject === LOGIN ? `The answer to ${LOGIN}` : `The answer for ${subject}`;
const notRead = (subject: string) => (subject === LOGIN ? '' : `, so ${subject} was not read`);
const uncapitalised = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);
const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const counted = (count: number, { one, many }: Kind) => `${count} ${count === 1 ? one : many}`;
const firstOf = (names: ReadonlyArray<string | number>, maxNamed = 10) => {
	const others = names.length - maxNamed;
	return `${names.slice(0, maxNamed).join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
};
const shareOf = (share: number, count: number, kind: Kind) =>
	count === 1 ? `The ${kind.one}` : `${share} of ${counted(count, kind)}`;
const lineOf = ({ line, fault, text }: KnownSiteFault) =>
	`Line ${line} of 'Known Sites' ${fault}: ${quote(text)}`;
/** The first lines as sentences, then how many more there are. */
const linesOf = (faults: readonly KnownSiteFault[]) => {
	const MAX_NAMED = 3;
	const others = faults.length - MAX_NAMED;
	return [
		...faults.slice(0, MAX_NAMED).map((fault) => `${lineOf(fault)}.`),
		...(others > 0 ? [`And ${others} more ${others === 1 ? LINES.one : LINES.many}.`] : []),
	];
};
const LINES = { one: 'line', many: 'lines' };
const ENTRIES = { one: 'entry', many: 'entries' };
const REQUESTS = { one: 'request', many: 'requests' };
const SITES = { one: 'site', many: 'sites' };

const IF_RIGHT = 'If it is right, contact the operator of the service.';
const CHECK_BASE_URL = `Check 'Base URL' in the credential. ${IF_RIGHT}`;
const CHECK_FOR_WEBSITE = `'Base URL' may lead to a website, a login page or a proxy. ${CHECK_BASE_URL}`;
const CHECK_ADDRESS =
	"Check 'Base URL' in the credential, and that the machine n8n runs on can reach it.";
const CHECK_SCHEME =
	"Check the beginning (https:// or http://) and the port of 'Base URL' in the credential.";
const CHECK_CERTIFICATE =
	"Ask the operator of the service about its certificate. Turn on 'Ignore SSL Issues (Insecure)' in the credential only if you know why the certificate is not trusted.";
const TRY_LATER = 'Try again in a few minutes.';
const TRY_LATER_OR_CONTACT = `${TRY_LATER} If it goes on, contact the operator of the service.`;
const NEW_ADDRESS =
	"If the service has moved, enter its new address as 'Base URL' in the credential.";
const CORRECT_LINES =
	"Correct 'Known Sites' in the credential: one site per line, its ID as digits only and then its name.";
const NEXT_LOGIN =
	'To keep the account from being locked, n8n waits before each new login: half a minute at first, up to an hour. A credential test logs in immediately.';
const IF_WRONG = "If that is wrong, check 'Base URL' in the credential";

/** Sentences that are added to the description of a failure. */
export const SENTENCES = {
	limit: ({ requestsPerMinute, cause }: Limit) =>
		({
			number: `The account may send ${spellRate(requestsPerMinute)}, shared by all workflows.`,
			stopped:
				'The service refused requests because there were too many, so nothing is sent for now.',
			lowered:
				'The service refused requests because there were too many, so fewer are sent for a while.',
		})[cause],
	waitAsked: (waitMs: number, isTooLong: boolean) =>
		`The service asks you to wait for ${spellDuration(waitMs)}${isTooLong ? `, which is longer than '${OPTIONS.maxTime}' allows` : ''}.`,
	sent: (tries: number) => `The request was sent ${tries} times.`,
	serviceSays: (said: string) => `The service says: "${said}"${/[.!?…]$/.test(said) ? '' : '.'}`,
	traceId: (id: string) => `Trace ID for its operator: ${id}.`,
	/** @param name of the document, if the message does not name it. */
	failed: (name: string | undefined, { message, description }: FailureText) =>
		`${name === undefined ? '' : `${capitalised(name)}: `}${message}. ${description}`.trimEnd(),
	/** After a failure that concerns one document of several. */
	goOn: ({ one }: Kind) =>
		`To go on without this ${one}, set 'On Error' in the settings of the node to one of the ways to continue.`,
	leaveOut: () => `To go on without it, turn on '${OPTIONS.ignoreMissing}' under Options.`,
	/** After a failure of a site. */
	sameFor: (siteIds: ReadonlyArray<number | string>, maxNamed?: number) =>
		`The same goes for ${siteIds.length === 1 ? 'site' : 'sites'} ${firstOf(siteIds, maxNamed)}.`,
	nextPoll: () =>
		'The trigger tries again at its next poll, and compares with what it remembers. As long as it goes on, you get this message once an hour.',
};

/** What was typed for a login that was refused. */
interface RefusedLogin {
	username: string;
	password: string;
}

/** Likely causes, as sentences: a space that was pasted too is invisible. */
function spacesIn({ username, password }: RefusedLogin): string[] {
	return Object.entries({ username, password }).flatMap(([field, typed]) => {
		const ends = [...(/^\s/.test(typed) ? ['begins'] : []), ...(/\s$/.test(typed) ? ['ends'] : [])];
		return ends.length === 0 ? [] : [`The ${field} ${ends.join(' and ')} with a space.`];
	});
}

/** When sites are read that a poll has not read. */
interface UntilRead {
	isActivation: boolean;
	/** How many polls it takes to read them all. */
	polls: number;
	/** How many all triggers of the account together may send. */
	requestsPerMinute: number;
}

/** What keeps a poll from reading more sites, unless there is no limit. */
function rateOfTriggers({ requestsPerMinute }: UntilRead): string {
	return requestsPerMinute === Infinity
		? ''
		: `The triggers of this account may send ${spellRate(requestsPerMinute)}. `;
}

function readLater(sites: number, { polls }: UntilRead): string {
	const subject = sites === 1 ? 'It comes' : 'They come';
	return `${subject} first in the next ${polls === 1 ? 'poll' : `${polls} polls`}.`;
}

/** Who reads a message about a field of the node. */
interface Audience {
	/** An AI agent, which is told to try again. */
	isTool: boolean;
	/** Whether the field is filled for each item. */
	hasItems: boolean;
}

function correction(label: string, { isTool, hasItems }: Audience): string {
	if (isTool) return 'Call this tool again with a value that fits, or ask for it.';
	const check = hasItems ? 'check what the step before returns for this item' : 'check its result';
	return `Correct '${label}' in the node. If it is filled by an expression, ${check}.`;
}

/**
 * Everything that the node, the trigger and the credential say, by place and by what happened. Other code decides what
 * happened; the wording is decided here, and what is wrong with a value in `api/faults.ts`. A subject is a document, such as "site 1001", or {@link LOGIN}.
 */
export const MESSAGES = {
	login: {
		refused: (login: RefusedLogin): FailureText => ({
			message: 'The service refused the username and password',
			description: [
				...spacesIn(login),
				`Correct 'Username' and 'Password' in the credential. ${NEXT_LOGIN}`,
			].join(' '),
		}),
		/** The service does not document which status means a wrong password or a locked account. */
		notAccepted: (statusCode: number, login: RefusedLogin): FailureText => ({
			message: `The service refused the login (status ${statusCode})`,
			description: [
				...spacesIn(login),
				`Check 'Base URL', 'Username', 'Password', 'Version Header Name' and 'Token Request Version' in the credential. ${NEXT_LOGIN}`,
			].join(' '),
		}),
		/** The same, if the version header still has its default name, which is the likely cause. */
		otherHeader: (statusCode: number, header: string, login: RefusedLogin): FailureText => ({
			message: `The service refused the login (status ${statusCode})`,
			description: [
				`'Version Header Name' in the credential is still ${header}: enter the name that the service uses.`,
				...spacesIn(login),
				`Then check 'Token Request Version', 'Base URL', 'Username' and 'Password'. ${NEXT_LOGIN}`,
			].join(' '),
		}),
		notFound: (baseUrl: string, origin: string): FailureText => ({
			message: 'There is no login at this address',
			description:
				baseUrl === origin
					? `'Base URL' in the credential is ${baseUrl}. ${IF_RIGHT}`
					: `'Base URL' in the credential is ${baseUrl}. Keep the address up to the host, ${origin}, unless the operator of the service gave you a longer one.`,
		}),
		noToken: (): FailureText => ({
			message: 'The answer to the login contains no usable token',
			description: CHECK_BASE_URL,
			cause: 'noToken',
		}),
	},

	credential: {
		field: (label: string, { fault, description }: Fault): FailureText => ({
			message: `'${label}' ${fault}`,
			description: description ?? `Correct '${label}' in the credential.`,
			cause: 'credential',
		}),
		/** Only the credential test says it. */
		knownSites: (faults: readonly [KnownSiteFault, ...KnownSiteFault[]]): FailureText => ({
			message: lineOf(faults[0]),
			description: [...linesOf(faults).slice(1), 'The login works.', CORRECT_LINES].join(' '),
			cause: 'knownSites',
		}),
		domains: (origin: string): FailureText => ({
			message: `'Allowed HTTP Request Domains' in the credential leaves out ${origin}`,
			description: "Add the domain of 'Base URL' to the allowed domains in the credential.",
			cause: 'domains',
		}),
		otherAddress: (origin: string): FailureText => ({
			message: `This credential is for ${origin} only, and the request goes to another address`,
			description: `Use an address that begins with ${origin}/, without a user name in it, or choose another credential for the request.`,
		}),
	},

	connection: {
		refused: (subject: string): FailureText => ({
			message: `The service refused the connection${notRead(subject)}`,
			description: `It may be down. ${TRY_LATER} If nothing answers then either: ${CHECK_ADDRESS}`,
		}),
		unknownHost: (subject: string): FailureText => ({
			message: `The host name of the service was not found${notRead(subject)}`,
			description: `There is no such host. ${CHECK_ADDRESS}`,
		}),
		noNameServer: (subject: string): FailureText => ({
			message: `The host name of the service could not be looked up${notRead(subject)}`,
			description: `The name server did not answer. ${TRY_LATER}`,
		}),
		unreachable: (subject: string): FailureText => ({
			message: `The service could not be reached${notRead(subject)}`,
			description: CHECK_ADDRESS,
		}),
		broken: (subject: string): FailureText => ({
			message: `The connection to the service broke off${notRead(subject)}`,
			description: `${TRY_LATER} If it keeps breaking off, ask the operator of the service or of your network.`,
		}),
		timedOut: (subject: string): FailureText => ({
			message: `The service did not answer in time${notRead(subject)}`,
			description: TRY_LATER,
		}),
		expired: (subject: string): FailureText => ({
			message: `The certificate of the service has expired${notRead(subject)}`,
			description: CHECK_CERTIFICATE,
		}),
		otherName: (subject: string): FailureText => ({
			message: `The certificate of the service is for another host name${notRead(subject)}`,
			description: CHECK_CERTIFICATE,
		}),
		untrusted: (subject: string): FailureText => ({
			message: `The certificate of the service is not trusted${notRead(subject)}`,
			description: CHECK_CERTIFICATE,
		}),
		notHttps: (subject: string): FailureText => ({
			message: `A secure connection to the service could not be set up${notRead(subject)}`,
			description: CHECK_SCHEME,
		}),
		notHttp: (subject: string): FailureText => ({
			message: `No web service answers at this address${notRead(subject)}`,
			description: CHECK_SCHEME,
		}),
		/** @param reasons what n8n says. */
		notSent: (subject: string, reasons: readonly string[]): FailureText => ({
			message: `n8n did not send ${requestFor(subject)}`,
			description: reasons
				.filter((reason) => reason !== '')
				.map((reason) => (/[.!?]$/.test(reason) ? reason : `${reason}.`))
				.join(' '),
			cause: 'notSent',
		}),
	},

	status: {
		badRequest: (subject: string): FailureText => ({
			message: `The service did not accept the request for ${subject}`,
			description: `Check '${OPTIONS.dataVersion}', in the credential and under Options: the service may no longer support this version. Then check which parts are asked for.`,
		}),
		tokenRejected: (subject: string, { many }: Kind): FailureText => ({
			message: `The service does not let this account read ${subject}`,
			description: `The login itself works. Ask the operator of the service which ${many} this account may read.`,
		}),
		/** Tokens that were accepted were rejected soon after, again and again. */
		sessionEnded: (subject: string): FailureText => ({
			message: `Another login keeps ending the session of this account, so ${subject} was not read`,
			description:
				'The service seems to keep one session per account. Use an account of its own for each n8n and each program, and run n8n in one process or give each process an account.',
			cause: 'sessionEnded',
		}),
		forbidden: (subject: string): FailureText => ({
			message: `This account has no right to read ${subject}`,
			description:
				'Ask the operator of the service for the right to read it, or use another account.',
		}),
		unknown: (subject: string, { one, many }: Kind): FailureText => ({
			message: `The service does not know ${subject}`,
			description: `Check the ${one} ID. ${SENTENCES.leaveOut()} If no ${many} are found at all, check 'Base URL' in the credential.`,
		}),
		/** @param names IDs and names of the missing documents found so far. */
		severalUnknown: (names: readonly string[], { one, many }: Kind): FailureText => ({
			message: `The service does not know the ${many} ${names.join(', ')}`,
			description: `Check the ${one} IDs; there may be more that the service does not know. To go on without them, turn on '${OPTIONS.ignoreMissing}' under Options. If no ${many} are found at all, check 'Base URL' in the credential.`,
		}),
		slowRequest: (subject: string): FailureText => ({
			message: `The service waited too long for ${requestFor(subject)}`,
			description: 'Try again. If it happens often, ask who runs your network.',
		}),
		unprocessable: (subject: string): FailureText => ({
			message: `The service could not carry out the request for ${subject}`,
			description:
				'It understood the request. Try again. If that does not help, contact the operator of the service.',
		}),
		fault: (subject: string, statusCode: number): FailureText => ({
			message: `The service could not answer ${requestFor(subject)} (status ${statusCode})`,
			description: TRY_LATER_OR_CONTACT,
		}),
		/** The address is left out for the login: it may contain the password in an unrecognised form. */
		redirect: (subject: string, location: string): FailureText => ({
			message: `The service pointed to another address for ${subject}${subject === LOGIN ? '' : `: ${location}`}`,
			description: `Nothing was sent there, to keep ${subject === LOGIN ? 'username and password' : 'the token'} with the service. ${NEW_ADDRESS}`,
		}),
		other: (subject: string, statusCode: number): FailureText => ({
			message: `The service answered ${requestFor(subject)} with status ${statusCode}`,
			description: `Check 'Base URL' in the credential, or ask the operator of the service what this status means.`,
		}),
	},

	answer: {
		empty: (subject: string): FailureText => ({
			message: `${answerTo(subject)} is empty`,
			description: CHECK_BASE_URL,
			cause: 'empty',
		}),
		html: (subject: string): FailureText => ({
			message: `${answerTo(subject)} is a web page`,
			description: CHECK_FOR_WEBSITE,
			cause: 'html',
		}),
		malformed: (subject: string): FailureText => ({
			message: `${answerTo(subject)} cannot be read`,
			description: `It may have been cut off: run the workflow again. ${CHECK_BASE_URL}`,
			cause: 'malformed',
		}),
		notUtf8: (subject: string): FailureText => ({
			message: `${answerTo(subject)} is not in UTF-8`,
			description:
				'Letters such as å would be lost. Ask the operator of the service to send UTF-8.',
			cause: 'notUtf8',
		}),
		tooLarge: (subject: string, limitBytes: number): FailureText => ({
			message: `${answerTo(subject)} is larger than ${limitBytes / 1024 / 1024} MB`,
			description:
				subject === LOGIN
					? CHECK_BASE_URL
					: 'Read or watch fewer parts of it, or contact the operator of the service.',
			cause: 'tooLarge',
		}),
		/** @param fault what the check of the document found. */
		breach: (subject: string, fault: string): FailureText => ({
			message: `${answerTo(subject)} cannot be used: ${fault}`,
			description: `The service or its interface may have changed. Check '${OPTIONS.dataVersion}' in the credential. ${IF_RIGHT}`,
			cause: 'breach',
		}),
		/** This package failed on it. */
		unprocessed: (subject: string, exception: string): FailureText => ({
			message: `${answerTo(subject)} could not be processed`,
			description: `Report it to the maintainers of this node: ${exception}.`,
		}),
	},

	limits: {
		tookTooLong: (subject: string, limitMs: number): FailureText => ({
			message: `${capitalised(subject)} took longer than ${spellSeconds(limitMs)}`,
			description:
				subject === LOGIN
					? TRY_LATER_OR_CONTACT
					: `Try again, or raise '${OPTIONS.timeout}' under Options.`,
			cause: 'timeout',
		}),
		/** The time for all tries was over. */
		triesTookTooLong: (subject: string, limitMs: number): FailureText => ({
			message: `${capitalised(subject)} took longer than ${spellSeconds(limitMs)}`,
			description: `Try again, or raise '${OPTIONS.maxTime}' under Options.`,
			cause: 'timeout',
		}),
		/**
		 * Nothing has been sent, since all documents together would have to wait for too long.
		 *
		 * @param delayMs until they need not wait, left out if they are too many for a minute.
		 */
		planTooLong: (
			count: number,
			kind: Kind,
			limit: Limit,
			{ planMs, maxWaitMs, delayMs }: { planMs: number; maxWaitMs: number; delayMs?: number },
		): FailureText => ({
			message: `Reading ${counted(count, kind)} would take about ${spellMinutes(planMs)}, longer than '${OPTIONS.maxWait}' allows`,
			description: `'${OPTIONS.maxWait}' is ${spellMinutes(maxWaitMs)}. ${SENTENCES.limit(limit)} ${delayMs === undefined ? 'Raise' : `Try again in ${spellDuration(delayMs)}, raise`} '${OPTIONS.maxWait}' under Options, or read fewer ${kind.many} in one run.`,
		}),
		noPlace: (subject: string, limit: Limit, waitMs: number): FailureText => ({
			message: `${capitalised(requestFor(subject))} would have waited longer than '${OPTIONS.maxWait}' allows`,
			description: `${SENTENCES.limit(limit)} Try again in ${spellDuration(waitMs)}, or raise '${OPTIONS.maxWait}' under Options.`,
			cause: 'noPlace',
		}),
		reached: (limit: Limit, waitMs: number): FailureText => ({
			message: `The account has reached its limit and may send again in ${spellDuration(waitMs)}`,
			description: `${SENTENCES.limit(limit)} Try again after that.`,
			cause: 'noPlace',
		}),
		/** n8n recognises a cancelled execution by the word "canceled" in the message (n8n 2.40). */
		cancelled: (): FailureText => ({
			message: 'The execution was canceled before the service had answered',
			description: 'Run the workflow again.',
		}),
	},

	node: {
		/** In place of a list of sites. */
		noSites: () => "Enter sites in the credential, or choose 'By ID'",
		field: (label: string, { fault, description }: Fault, audience: Audience): FailureText => ({
			message: `'${label}' ${fault}`,
			description: description ?? correction(label, audience),
		}),
		customApiCall: (): FailureText => ({
			message: 'This node sends no requests of your own',
			description: "Choose an operation, or use n8n's HTTP Request node with this credential.",
		}),
		operation: (name: string): FailureText => ({
			message: `The operation "${name}" does not exist`,
			description:
				'Choose an operation in the node. The workflow may have been made for another version of it.',
		}),
	},

	siteList: {
		/** @param isAddress whether the likely cause is the address of the list. */
		unread: ({ message, description }: FailureText, isAddress: boolean): FailureText => ({
			message: 'The list of sites could not be read',
			description: `${isAddress ? "Check 'Site List Address' in the credential. " : ''}${message}. ${description}`,
		}),
		/** Only the credential test says it. */
		untestable: ({ message, description }: FailureText): FailureText => ({
			message,
			description: `The login works. ${description}`,
		}),
		unknown: (): FailureText => ({
			message: 'The service has no list of sites at this address',
			description:
				"Correct 'Site List Address' in the credential. If the operator of the service names none, leave it empty, and enter your sites in 'Known Sites'.",
		}),
	},
	trigger: {
		/** All known sites are watched. */
		linesLeftOut: (lines: readonly KnownSiteFault[]): FailureText => ({
			message: `${counted(lines.length, LINES)} of 'Known Sites' in the credential ${lines.length === 1 ? 'does' : 'do'} not begin with a site ID`,
			description: [...linesOf(lines), 'The other sites are watched.', CORRECT_LINES].join(' '),
			cause: 'knownSites',
		}),
		noneKnown: (siteIds: readonly number[]): FailureText => ({
			message: `The service does not know ${siteIds.length === 1 ? `site ${siteIds[0]}` : `any of the ${siteIds.length} sites`}`,
			description: `Check 'Site IDs' or 'Known Sites', then 'Base URL' in the credential.`,
			cause: 'noneKnown',
		}),
		listTooSlow: (): FailureText => ({
			message: 'The list of sites took so long that there was no time left to read sites',
			description: `The service is slow. Enter your sites in 'Known Sites' in the credential: then the trigger needs no list.`,
			cause: 'listTooSlow',
		}),
		/** @param siteIds left out if no site can be read back. */
		forgotten: (siteIds?: readonly number[]): FailureText => ({
			message: `What the trigger remembered${siteIds ? ` of ${siteIds.length === 1 ? 'site' : 'sites'} ${firstOf(siteIds)}` : ''} cannot be read`,
			description:
				'It remembers the current values instead. Changes since the poll before are not reported: look for them yourself.',
			cause: 'forgotten',
		}),
		several: (count: number): string => `${count} sites could not be read`,
		/**
		 * The service is down.
		 *
		 * @param subject of the first failure.
		 */
		noneRead: (count: number, subject: string, first: FailureText): FailureText => ({
			message: `None of the ${count} sites could be read: ${uncapitalised(
				first.message
					.replace(notRead(subject), '')
					.replace(requestFor(subject), 'the requests')
					.replace(capitalised(subject), 'each'),
			)}`,
			description: first.description,
		}),
		/** The next poll is far away. */
		unread: (siteIds: readonly number[], total: number, until: UntilRead): FailureText => ({
			message: `${siteIds.length} of ${counted(total, SITES)} ${siteIds.length === 1 ? 'was' : 'were'} not read ${until.isActivation ? 'when the workflow was activated' : 'before the poll ended'}`,
			description: `${siteIds.length === 1 ? 'It is' : 'They are'}: ${firstOf(siteIds)}. ${readLater(siteIds.length, until)} ${rateOfTriggers(until)}Poll every ten minutes or more often, or watch fewer sites with one trigger.`,
			cause: until.isActivation ? 'noFirstValues' : 'unread',
		}),
	},

	/** What node and trigger write to n8n's log. */
	log: {
		/** Before the node reads. */
		longRun: (count: number, kind: Kind, planMs: number) =>
			`Reading ${counted(count, kind)} will take about ${spellMinutes(planMs)}`,
		/** @param subjects whose failure is over: the IDs of sites, or what sites share. */
		readAgain: (subjects: ReadonlyArray<number | string>) => {
			const siteIds = subjects.filter((subject) => typeof subject === 'number');
			if (siteIds.length < subjects.length) return 'The sites can be read again';
			return `${siteIds.length === 1 ? 'Site' : 'Sites'} ${firstOf(siteIds)} can be read again`;
		},
	},

	/** Shown in the output panel of a node that has not failed, and to an AI agent. */
	hints: {
		nothingFound: () => 'Nothing was found',
		onlyOneMissing: ({ one }: Kind) => `The ${one} does not exist and was left out. ${IF_WRONG}`,
		allMissing: (count: number, { many }: Kind) =>
			`None of the ${count} ${many} exists. ${IF_WRONG}`,
		someMissing: (missing: readonly string[], count: number, kind: Kind) =>
			`${missing.length} of ${counted(count, kind)} ${missing.length === 1 ? 'does not exist and was' : 'do not exist and were'} left out: ${firstOf(missing)}`,
		failed: (failed: number, count: number, kind: Kind) =>
			`${shareOf(failed, count, kind)} could not be read: see the field 'error'`,
		absent: (part: string, absent: number, count: number, kind: Kind) =>
			`The service sent no ${part} for ${count === 1 ? `the ${kind.one}` : `${absent} of ${counted(count, kind)}`}`,
		/** @param items what it has none of. */
		noItems: (items: string, names: readonly string[], count: number, kind: Kind) =>
			`${shareOf(names.length, count, kind)} ${names.length === 1 ? 'has' : 'have'} no ${items}${count === 1 ? '' : `: ${firstOf(names)}`}`,
		linesLeftOut: (lines: readonly KnownSiteFault[]) =>
			`${counted(lines.length, LINES)} of 'Known Sites' in the credential ${lines.length === 1 ? 'does not begin with a site ID and was' : 'do not begin with a site ID and were'} left out: ${firstOf(lines.map(({ line, text }) => `line ${line} (${shortened(text)})`))}`,
		/** The service's list is not whole. */
		partialList: () =>
			"The service seems to have more sites than its list at 'Site List Address' shows, so the others are not known. Enter them in 'Known Sites' in the credential",
		unusableEntries: (ids: readonly string[]) =>
			`${counted(ids.length, ENTRIES)} of the service's list of sites ${ids.length === 1 ? 'has an ID that cannot be used and was' : 'have IDs that cannot be used and were'} left out: ${firstOf(ids.map((id) => shortened(id)))}`,
		/** No field has an expression. */
		readForEach: (inputItems: number) =>
			`Read for each of ${inputItems} input items, which all ask for the same. To read it once, turn on 'Execute Once' in the settings of the node`,
		/** All sites are read, which are the same for every input item. */
		readOnce: (inputItems: number) =>
			`Read once, not for each of ${inputItems} input items: '${ALL_SITES}' takes all settings from the first one`,
		/** All sites are read, up to a limit. */
		limited: (count: number, total: number) =>
			`Read ${count} of ${counted(total, SITES)}: to read the others too, turn on '${OPTIONS.returnAll}'`,
		/** 'Simplify' differs from its default. */
		otherFields: () =>
			"'Simplify' changes the fields: drag them from this output, not from what n8n offered before the run",
		repeated: (requests: number) =>
			`${counted(requests, REQUESTS)} failed for a moment and ${requests === 1 ? 'was' : 'were'} sent again`,
		/** It was more than the account may send in a minute. */
		waited: (count: number, kind: Kind, tookMs: number, requestsPerMinute: number) =>
			`The account may send ${spellRate(requestsPerMinute)}, so ${counted(count, kind)} took ${spellDuration(tookMs, Math.round)}`,
		waitedForOthers: (count: number, kind: Kind, tookMs: number, requestsPerMinute: number) =>
			`Other runs used the account too, which may send ${spellRate(requestsPerMinute)}, so ${counted(count, kind)} took ${spellDuration(tookMs, Math.round)}`,
		refusedBefore: (count: number, kind: Kind, tookMs: number) =>
			`The service had refused other requests of this account because there were too many, so ${counted(count, kind)} took ${spellDuration(tookMs, Math.round)}`,
		refused: (count: number, kind: Kind, tookMs: number, requests: number) =>
			`The service refused ${counted(requests, REQUESTS)} because there were too many, so ${counted(count, kind)} took ${spellDuration(tookMs, Math.round)}`,
	},
};
