import axios, { type AxiosRequestConfig } from 'axios';
import type { CredentialSettings } from '../../nodes/Aquaculture/input/credentialSettings';
import { MAX_BODY_BYTES, parseBody } from '../../nodes/Aquaculture/service/body';
import { TOKEN_PATH } from '../../nodes/Aquaculture/service/constants';
import { parseToken } from '../../nodes/Aquaculture/service/token';
import { UserFacingError } from '../../testbed/userFacingError';

export interface Target {
	settings: CredentialSettings;
	siteId: number;
}

/** What the package assumes about an answer, as the report words it. */
interface Question {
	title: string;
	assumed: readonly string[];
	isLogin?: boolean;
}

/** Contains secrets and data: print none of it as it is. */
export interface Answer extends Question {
	/** 0 without a complete answer. */
	status: number;
	/** By lower-case name. */
	headers: object;
	/** Undefined if the body is not JSON. */
	json?: unknown;
}

export interface Contact {
	answers: Answer[];
	/** Why it stopped early, as a sentence; or empty. */
	end: string;
}

export const isAccepted = ({ status }: Answer) => status >= 200 && status < 300;

/**
 * Sends 13 requests one after the other. A login with a wrong password is not among them: it may lock the account. Stops
 * after a refusal, because the service may ban the account (docs/service-interface.md, "Rate Limits") or lock it.
 *
 * @param pause called before each request with its title: n8n shares the limit of the account.
 */
export async function makeContact(
	{ settings, siteId }: Target,
	pause: (title: string) => Promise<void>,
): Promise<Contact> {
	const { baseUrl, versionHeader, tokenVersion, dataVersion, username, password } = settings;
	const answers: Answer[] = [];

	const ask = async (question: Question, request: AxiosRequestConfig) => {
		await pause(question.title);
		const answer = { ...question, ...(await send(request)) };
		answers.push(answer);
		if (answer.status !== 429) return answer;
		throw new UserFacingError(
			'The service refused a request because there were too many (status 429). Wait a few minutes before anything else uses the account.',
		);
	};
	const login = async (title: string): Promise<string> => {
		const { json } = await ask(
			{ title, assumed: ['a token'], isLogin: true },
			{
				method: 'POST',
				url: baseUrl + TOKEN_PATH,
				headers: { [versionHeader]: tokenVersion },
				data: { username, password },
			},
		);
		const token = parseToken(json);
		if (!token) throw new UserFacingError('The login returned no token that can be used.');
		return token.access_token;
	};
	const read = async (
		title: string,
		assumed: string[],
		token: string,
		{ query = '', id = siteId, version = dataVersion } = {},
	) => {
		const { status } = await ask(
			{ title, assumed },
			{
				url: `${baseUrl}/meta/sites/${id}${query}`,
				headers: { Authorization: `Bearer ${token}`, [versionHeader]: version },
			},
		);
		const hasRead = answers.some((answer) => !answer.isLogin && isAccepted(answer));
		if (!hasRead && status >= 400 && status < 500) {
			throw new UserFacingError('The service does not let this account read the site.');
		}
	};

	try {
		const oldToken = await login('Login');
		const including = async (query: string, assumed: string) =>
			await read(`Site with \`${query}\``, [assumed], oldToken, { query: `?${query}` });
		await including('$include=units,info', 'a site with info and units');
		await read('Site without `$include`', ['a site'], oldToken);
		await including('$include=info', 'a site with info');
		await including('$include=units', 'a site with units');
		await including('%24include=units,info', 'a site with info and units');
		await including('$include=units%2Cinfo', 'a site with info and units');
		await including('include=units,info', 'a site');
		// Small enough for 32 bits.
		await read('Unknown site', ['status 404'], oldToken, { id: 999_999_999 });
		await read('Site, old version', ['status 400'], oldToken, { version: '1900-01-01' });
		const newToken = await login('Second login');
		// A login may revoke earlier tokens.
		await read('Site, token of the first login', ['a site', 'status 401'], oldToken);
		await read('Site, wrong token', ['status 401'], tamper(newToken));
		return { answers, end: '' };
	} catch (error) {
		if (error instanceof UserFacingError) return { answers, end: error.message };
		throw error;
	}
}

/** Changes a character near the end of a token, which is the signature of a JWT. */
function tamper(token: string): string {
	const index = Math.max(0, token.length - 10);
	return token.slice(0, index) + (token[index] === 'A' ? 'B' : 'A') + token.slice(index + 1);
}

/** Sends a request without retries or redirects. */
async function send(request: AxiosRequestConfig): Promise<Omit<Answer, keyof Question>> {
	try {
		const { status, headers, data } = await axios.request<Buffer>({
			...request,
			signal: AbortSignal.timeout(30_000),
			responseType: 'arraybuffer',
			maxContentLength: MAX_BODY_BYTES,
			maxRedirects: 0,
			validateStatus: () => true,
		});
		return { status, headers: { ...headers }, json: parseBody(data).json };
	} catch {
		return { status: 0, headers: {} };
	}
}
