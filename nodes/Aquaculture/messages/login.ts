import { truncate } from '../utils/text';
import type { FailureText } from './failureText';
import { CHECK_BASE_URL } from './phrases';

const NEXT_LOGIN =
	'Until a login succeeds, n8n waits longer between logins, up to an hour, to avoid locking the account.';

/** The credential whose login was refused. */
interface RefusedLogin {
	password: string;
}

/** Says whether a password has outer spaces or invisible characters, which people paste unnoticed and which are kept. */
function describeHiddenCharacters({ password }: RefusedLogin): string {
	const ends = [
		...(/^\s/.test(password) ? ['begins'] : []),
		...(/\s$/.test(password) ? ['ends'] : []),
	];
	const seen = [
		...(ends.length > 0 ? [`${ends.join(' and ')} with a space`] : []),
		...(/\p{Cf}/u.test(password) ? ['contains an invisible character'] : []),
	];
	return seen.length > 0 ? `: the password ${seen.join(' and ')}` : '';
}

/** What can only happen to a login. What can happen to documents, too, is in `request.ts`. */
export const LOGIN_MESSAGES = {
	refused: (login: RefusedLogin): FailureText => ({
		message: 'The service refused the username and password',
		description: `Correct 'Username' and 'Password' in the credential${describeHiddenCharacters(login)}.`,
		note: NEXT_LOGIN,
	}),
	forbidden: (login: RefusedLogin): FailureText => ({
		message: 'The service does not let this account log in',
		description: `Ask the operator of the service whether the account may use this interface, and check 'Username' and 'Password' in the credential${describeHiddenCharacters(login)}.`,
		note: NEXT_LOGIN,
	}),
	/** The answer is a web page, or has another form than the service's. */
	notFromService: (statusCode: number, baseUrl: string): FailureText => ({
		message: `The login was refused (status ${statusCode}), but perhaps not by the service`,
		description: `Check 'Base URL' in the credential, then 'Username' and 'Password': the answer from ${truncate(baseUrl)} does not look like one of the service.`,
		note: NEXT_LOGIN,
	}),
	/** The service does not document which status means a wrong password or a locked account. */
	otherRefusal: (statusCode: number, login: RefusedLogin): FailureText => ({
		message: `The service refused the login (status ${statusCode})`,
		description: `Check 'Base URL', 'Version Header Name', 'Token Request Version', 'Username' and 'Password' in the credential${describeHiddenCharacters(login)}.`,
		note: NEXT_LOGIN,
	}),
	/** The likely cause is the version header: the service says so, or the header still has its default name. */
	versionRejected: (
		statusCode: number,
		{ versionHeader, ...login }: RefusedLogin & { versionHeader: string },
		isPlaceholder: boolean,
	): FailureText => ({
		message: `The service refused the login (status ${statusCode})`,
		description: isPlaceholder
			? `'Version Header Name' is still the placeholder ${versionHeader}. Enter the header name that the operator gave you.`
			: `Check 'Version Header Name' and 'Token Request Version' in the credential.`,
		note: `Then check 'Base URL', 'Username' and 'Password'${describeHiddenCharacters(login)}. ${NEXT_LOGIN}`,
	}),
	notFound: (baseUrl: string, origin: string): FailureText => ({
		message: 'The service has no login at this address',
		description:
			baseUrl === origin
				? CHECK_BASE_URL.description
				: `Shorten 'Base URL' in the credential to ${origin}, unless the operator of the service gave you a longer address.`,
		note: `It is ${truncate(baseUrl, 100)}. ${CHECK_BASE_URL.note}`,
	}),
	noToken: (): FailureText => ({
		message: 'The answer to the login contains no usable token',
		...CHECK_BASE_URL,
		failureKey: 'noToken',
	}),
};
