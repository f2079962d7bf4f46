import type { Body } from '../../../../nodes/Aquaculture/service/body';
import {
	explainFailedDocument,
	explainFailedLogin,
} from '../../../../nodes/Aquaculture/service/statusFailures';
import { redactor } from '../../../../nodes/Aquaculture/service/redact';
import { documentSubject } from '../../../../nodes/Aquaculture/messages/failure';

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
	// Engine tests have the documented ones.
	it.each([
		['login', 300, {}, 'The service answered the login with status 300'],
		['login', 408, { isTransient: true }, 'The service could not answer the login (status 408)'],
		[
			'login',
			418,
			{ kind: 'loginRefused', stopsAll: true },
			'The service refused the login (status 418)',
		],
		['document', 300, {}, 'The service answered the request for unit 7 with status 300'],
		[
			'document',
			408,
			{ isTransient: true },
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

	it.each<[string, string | undefined, ...number[]]>([
		['login', 'credential-invalid', 302, 400, 401, 403, 404, 418, 422],
		['login', 'temporarily-unavailable', 408, 500, 501, 503],
		['login', undefined, 300, 407],
		['document', 'credential-invalid', 302],
		['document', 'configuration-invalid', 400, 401, 403, 404],
		['document', 'temporarily-unavailable', 408, 422, 500, 501, 503],
		['document', undefined, 300, 407, 418],
	])('a failed %s has the cause %s after %d, %d…', (request, cause, ...codes) => {
		const explain = request === 'login' ? explainLogin : explainDocument;
		const causes = codes.map((code) => explain(code, code === 302 ? { location: '/' } : {}).cause);

		expect(new Set(causes)).toEqual(new Set([cause]));
	});

	it('only 408, 500, 502, 503 and 504 are transient', () => {
		const all = Array.from({ length: 500 }, (_, index) => index + 100);
		for (const explain of [explainLogin, explainDocument]) {
			const transient = all.filter((code) => explain(code).isTransient);
			expect(transient).toEqual([408, 500, 502, 503, 504]);
		}
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
		expect(explainDocument(code, headers).message).toBe(message);
	});
});
