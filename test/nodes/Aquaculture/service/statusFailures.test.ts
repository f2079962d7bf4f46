import { parseBody, type Body } from '../../../../nodes/Aquaculture/service/body';
import {
	explainFailedDocument,
	explainFailedLogin,
} from '../../../../nodes/Aquaculture/service/statusFailures';
import { redactor } from '../../../../nodes/Aquaculture/service/redact';
import { documentSubject, fullDescription } from '../../../../nodes/Aquaculture/messages/failure';

const ADDRESS = 'https://data.example.com';
const SETTINGS = {
	...{ baseUrl: ADDRESS, origin: ADDRESS, password: 's3cret  pass' },
	versionHeader: 'Fish-Version',
};
const SUBJECT = documentSubject('unit 7');
const redact = redactor([SETTINGS.password]);
const parse = (text: string) => parseBody(Buffer.from(text));
const PAGE = parse('<html>');

const explainLogin = (
	statusCode: number,
	headers: Record<string, unknown> = {},
	body?: Body,
	settings: Partial<typeof SETTINGS> = {},
) => explainFailedLogin({ statusCode, headers }, body, { ...SETTINGS, ...settings });
const explainDocument = (statusCode: number, headers: Record<string, unknown> = {}, body?: Body) =>
	explainFailedDocument({ statusCode, headers }, body, SUBJECT, redact);

describe('what a status means', () => {
	const REFUSED = { kind: 'loginRefused', stopsAll: true };
	const TRANSIENT = { isTransient: true };

	it.each<[string, number, object, string]>([
		['login', 300, {}, 'The service answered the login with status 300'],
		['login', 408, TRANSIENT, 'The service could not answer the login (status 408)'],
		['login', 418, REFUSED, 'The service refused the login (status 418)'],
		['document', 300, {}, 'The service answered the request for unit 7 with status 300'],
		[
			'document',
			408,
			TRANSIENT,
			'The service could not answer the request for unit 7 (status 408)',
		],
		['document', 418, {}, 'The service answered the request for unit 7 with status 418'],
		['document', 422, {}, 'The service could not answer the request for unit 7 (status 422)'],
	])('of a %s: %d (%j): %s', (request, code, consequences, message) => {
		const failure = request === 'login' ? explainLogin(code) : explainDocument(code);

		const { kind, isTransient, stopsAll } = failure;
		expect([{ kind, isTransient, stopsAll }, failure.message]).toEqual([consequences, message]);
		expect(failure.statusCode).toBe(request === 'login' ? undefined : code);
	});

	it('only 408, 500, 502, 503 and 504 are transient', () => {
		const all = Array.from({ length: 500 }, (_, index) => index + 100);
		for (const explain of [explainLogin, explainDocument]) {
			const transient = all.filter((code) => explain(code).isTransient);
			expect(transient).toEqual([408, 500, 502, 503, 504]);
		}
	});

	const EMPTY = parse('');
	const NO_REASON = [undefined, EMPTY, parse('{"traceId":"1"}'), parse('{"error":"no"}')];
	const OTHER = 'The service refused the login (status %d)';
	const FOREIGN = 'The login was refused (status %d), but perhaps not by the service';
	const ALL_FIELDS = /^Check 'Base URL', 'Version Header Name', 'Token Request Version', 'User/;
	const VERSION = /^Check 'Version Header Name' and 'Token .+\n.+\n.+: "Version unknown"\.$/;
	const DEFAULT_NAME = /^'Version Header Name' is still .+ service-version\. /;

	it.each<[string, RegExp, number[], Array<Body | undefined>, versionHeader?: string]>([
		['The service refused the username and password', /^Correct 'Username' and/, [401], NO_REASON],
		['The service does not let this account log in', /^Ask .+ check 'Username'/, [403], [EMPTY]],
		[FOREIGN, /^Check 'Base URL' .+, then .+ from https:/, [400, 401, 403], [PAGE]],
		[FOREIGN, /^Check 'Base URL' .+, then /, [401, 403], [parse('{"detail":"no"}')]],
		[OTHER, ALL_FIELDS, [400, 422], [EMPTY]],
		[OTHER, ALL_FIELDS, [422], [EMPTY], 'Service-Version'],
		[OTHER, DEFAULT_NAME, [400], [EMPTY], 'service-version'],
		[OTHER, VERSION, [400, 422], [parse('{"message":"Version unknown"}')]],
	])(
		'a refused login: "%s", %s after %j',
		(message, said, codes, bodies, versionHeader = 'Fish-Version') => {
			for (const code of codes) {
				for (const body of bodies) {
					const failure = explainLogin(code, {}, body, { versionHeader });
					expect(failure).toMatchObject({
						...{ message: message.replace('%d', String(code)), kind: 'loginRefused' },
						note: expect.stringMatching(/^Until a login succeeds, n8n waits longer/) as unknown,
					});
					expect(fullDescription(failure)).toMatch(said);
				}
			}
		},
	);

	it.each([
		['sec\u200bret', 'contains an invisible character'],
		[' secret', 'begins with a space'],
		['sec\u200bret\n', 'ends with a space and contains an invisible character'],
	])('a refused login says what nobody sees of the password %j', (password, seen) => {
		for (const code of [401, 403, 422]) {
			const { description } = explainLogin(code, {}, EMPTY, { password });
			expect(description).toContain(`'Password' in the credential: the password ${seen}.`);
		}
	});

	it.each([
		[404, '', 'The service has no login at this address', /^Check 'Base URL' .+\nIt is https:/],
		[404, '/v1', 'The service has no login at this address', /^Shorten 'Base URL' .+ to https:/],
		[501, '', 'The service could not answer the login (status 501)', /^Try again later\./],
	])('a login with %d at "%s" fails, but is not refused: "%s", %s', (code, path, message, said) => {
		const failure = explainLogin(code, {}, EMPTY, { baseUrl: ADDRESS + path });

		expect([failure.kind, failure.message]).toEqual([undefined, message]);
		expect(fullDescription(failure)).toMatch(said);
	});

	const OTHER_404 = 'The service answered the request for unit 7 with status 404';

	it.each([
		[400, '{}', undefined, 'The service did not accept the request for unit 7', /^Check 'Data Req/],
		[401, '', undefined, 'The service rejected the request for unit 7 (status 401)', /new login/],
		[403, '', 'forbidden', 'This account may not read unit 7', /right to read it/],
		[404, '', 'notFound', 'The service does not know unit 7', /'Ignore Missing Sites'/],
		[404, '{}', 'notFound', 'The service does not know unit 7', /'Ignore Missing Sites'/],
		[404, '[]', undefined, OTHER_404, /^Check 'Base URL'/],
	])('a document with %d and the body "%s" is %s: "%s", %s', (code, text, kind, message, said) => {
		const failure = explainDocument(code, {}, parse(text));

		expect([failure.kind, failure.message]).toEqual([kind, message]);
		expect(fullDescription(failure)).toMatch(said);
	});

	it.each([401, 403, 404])('a web page with status %d is not an answer of the service', (code) => {
		expect(explainDocument(code, {}, PAGE).message).toBe('The answer for unit 7 is a web page');
	});

	it('a 407 points to the proxy, whatever its body is', () => {
		for (const explain of [explainLogin, explainDocument]) {
			expect(explain(407, {}, PAGE).description).toContain('HTTPS_PROXY');
		}
	});

	it.each<[number, Record<string, unknown>, string]>([
		[300, { location: '/there' }, 'The service pointed to another address for unit 7: /there'],
		[399, { location: 's3cret  pass' }, 'The service pointed to another address for unit 7: *****'],
		[302, { location: ['/there'] }, 'The service answered the request for unit 7 with status 302'],
		[418, { location: '/there' }, 'The service answered the request for unit 7 with status 418'],
	])('status %d with %j: %s', (code, headers, message) => {
		const failure = explainDocument(code, headers);

		const hasMoved = /^If the service has moved, .+\nNothing was sent there/.test(
			fullDescription(failure),
		);
		expect([failure.message, hasMoved]).toEqual([message, message.includes('pointed to')]);
	});
});
