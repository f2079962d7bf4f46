import type { Body } from '../../../../nodes/Aquaculture/service/body';
import {
	explainFailedDocument,
	explainFailedLogin,
	isSuccess,
} from '../../../../nodes/Aquaculture/service/status';
import { redactor } from '../../../../nodes/Aquaculture/service/redact';
import { documentSubject } from '../../../../nodes/Aquaculture/messages/subject';

it('isSuccess accepts statuses from 200 to 299', () => {
	expect([99, 199, 200, 299, 300].filter(isSuccess)).toEqual([200, 299]);
});

const ADDRESS = 'https://data.example.com';
const SETTINGS = {
	...{ baseUrl: ADDRESS, origin: ADDRESS, password: 's3cret  pass' },
	versionHeader: 'Fish-Version',
};
const SUBJECT = documentSubject('unit 7');
const redact = redactor([SETTINGS.password]);
const PAGE: Body = { text: '<html>', parseError: 'html' };

const explainLogin = (statusCode: number, headers: Record<string, unknown> = {}, body?: Body) =>
	explainFailedLogin({ statusCode, headers }, body, SETTINGS);
const explainDocument = (statusCode: number, headers: Record<string, unknown> = {}, body?: Body) =>
	explainFailedDocument({ statusCode, headers }, body, SUBJECT, redact);

describe('what a status means', () => {
	const REFUSED = 'The service refused the login';
	const REQUEST = 'the request for unit 7';

	const PROXY = ['A proxy between n8n and the service requires a login', 'account'] as const;

	it.each<{ code: number; login: readonly string[]; document: readonly string[] }>([
		{
			code: 300,
			login: ['The service answered the login with status 300'],
			document: [`The service answered ${REQUEST} with status 300`],
		},
		{
			code: 400,
			login: [`${REFUSED} (status 400)`, 'loginRefused'],
			document: [`The service did not accept ${REQUEST}`],
		},
		{
			code: 401,
			login: ['The service refused the username and password', 'loginRefused'],
			document: [`The service rejected ${REQUEST} (status 401)`],
		},
		{
			code: 403,
			login: ['The service does not let this account log in', 'loginRefused'],
			document: ['This account may not read unit 7', 'forbidden'],
		},
		{
			code: 404,
			login: ['The service has no login at this address'],
			document: ['The service does not know unit 7', 'notFound'],
		},
		{ code: 407, login: PROXY, document: PROXY },
		{
			code: 408,
			login: ['The service could not answer the login (status 408)', 'transient'],
			document: [`The service could not answer ${REQUEST} (status 408)`, 'transient'],
		},
		{
			code: 418,
			login: [`${REFUSED} (status 418)`, 'loginRefused'],
			document: [`The service answered ${REQUEST} with status 418`],
		},
		{
			code: 422,
			login: [`${REFUSED} (status 422)`, 'loginRefused'],
			document: [`The service could not carry out ${REQUEST}`],
		},
		{
			code: 501,
			login: ['The service could not answer the login (status 501)'],
			document: [`The service could not answer ${REQUEST} (status 501)`],
		},
	])('$code: for a login $login, for a document $document', ({ code, login, document }) => {
		const loginFailure = explainLogin(code);
		const failure = explainDocument(code);

		expect([loginFailure.message, loginFailure.kind]).toEqual([login[0], login[1]]);
		expect([failure.message, failure.kind]).toEqual([document[0], document[1]]);
		expect(loginFailure.statusCode).toBeUndefined();
		expect(failure.statusCode).toBe(code);
	});

	it('only 408, 500, 502, 503 and 504 are transient', () => {
		const all = Array.from({ length: 500 }, (_, index) => index + 100);
		for (const explain of [explainLogin, explainDocument]) {
			const transient = all.filter((code) => explain(code).kind === 'transient');
			expect(transient).toEqual([408, 500, 502, 503, 504]);
		}
	});

	it('a 407 points to the proxy, whatever its body is', () => {
		for (const explain of [explainLogin, explainDocument]) {
			expect(explain(407, {}, PAGE).description).toContain('HTTPS_PROXY');
		}
	});

	it.each<[number, Record<string, unknown>, string]>([
		[300, { location: '/there' }, 'The service pointed to another address for unit 7: /there'],
		[399, { location: 's3cret  pass' }, 'The service pointed to another address for unit 7: *****'],
		[302, { location: ['/there'] }, `The service answered ${REQUEST} with status 302`],
		[418, { location: '/there' }, `The service answered ${REQUEST} with status 418`],
	])('status %d with %j: %s', (code, headers, message) => {
		expect(explainDocument(code, headers).message).toBe(message);
	});

	it('masks the password in what the service says about a failed login', () => {
		const json = { message: 'Wrong: s3cret  pass', traceId: 's3cret  pass' };

		expect(explainLogin(401, {}, { text: '', json })).toMatchObject({
			serviceMessage: 'Wrong: *****',
			traceId: '*****',
		});
	});

	it('a redirect of a login does not name the address', () => {
		expect(explainLogin(302, { location: '/there' }).message).toBe(
			'The service pointed to another address for the login',
		);
	});
});
