import {
	getCause,
	connectionFailure,
	describeDocumentStatus,
	findProxy,
	describeStatus,
	addServiceMessage,
} from '../../../../nodes/Aquaculture/service/failures';
import { redactor } from '../../../../nodes/Aquaculture/service/redact';
import { fullDescription, MESSAGES } from '../../../../nodes/Aquaculture/messages/messages';
import { LOGIN, documentSubject } from '../../../../nodes/Aquaculture/messages/subject';

const redact = redactor(['s3cret  pass']);

const SITE = documentSubject('site 7');
const UNIT = documentSubject('unit 7');

describe('failures of requests', () => {
	it.each([
		['connect ECONNREFUSED 10.0.0.7:3128', '10.0.0.7:3128'],
		['getaddrinfo ENOTFOUND proxy.example.com', 'proxy.example.com'],
		['connect ETIMEDOUT 10.0.0.7:443', undefined],
		['getaddrinfo ENOTFOUND data.example.com', undefined],
		['read ECONNRESET', undefined],
		['', undefined],
	])('with the message %j name the proxy %j', (message, proxy) => {
		expect(findProxy(message, 'https://data.example.com')).toBe(proxy);
	});

	it('names a proxy that cannot be reached', () => {
		expect(connectionFailure('ECONNREFUSED', SITE, '10.0.0.7:3128')).toMatchObject({
			message: 'The proxy 10.0.0.7:3128 could not be reached, so site 7 was not read',
			kind: 'transient',
		});
	});

	it.each<[string, string, boolean, string]>([
		[
			'The service could not be reached',
			'ECONNREFUSED EHOSTUNREACH EAI_AGAIN SOMETHING_NEW __proto__ 503',
			true,
			'Base URL',
		],
		['The service could not be reached', 'ENOTFOUND', false, 'Base URL'],
		[
			'The connection to the service was lost',
			'ECONNRESET EPIPE ERR_STREAM_PREMATURE_CLOSE ERR_BAD_RESPONSE',
			true,
			'operator',
		],
		[
			'The certificate of the service is not trusted',
			'CERT_HAS_EXPIRED CERT_NOT_YET_VALID ERR_TLS_CERT_ALTNAME_INVALID HOSTNAME_MISMATCH ' +
				'DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN UNABLE_TO_GET_ISSUER_CERT ' +
				'UNABLE_TO_GET_ISSUER_CERT_LOCALLY UNABLE_TO_VERIFY_LEAF_SIGNATURE CERT_REVOKED ' +
				'CERT_UNTRUSTED INVALID_CA INVALID_PURPOSE UNSPECIFIED',
			false,
			'clock NODE_EXTRA_CA_CERTS operator',
		],
		[
			'n8n could not communicate with the service',
			'EPROTO ERR_SSL_WRONG_VERSION_NUMBER ERR_SSL_EE_KEY_TOO_SMALL ' +
				'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE HPE_INVALID_CONSTANT HPE_HEADER_OVERFLOW',
			false,
			'https:// port operator',
		],
	])('%s: %s (transient: %j) needs %s', (message, codes, isTransient, hints) => {
		for (const cause of codes.split(' ')) {
			const failure = connectionFailure(cause, LOGIN);
			expect(failure).toMatchObject({ message: `${message} (${cause})`, cause });
			expect(failure.kind).toBe(isTransient ? 'transient' : undefined);
			expect(hints.split(' ').filter((hint) => !failure.description.includes(hint))).toEqual([]);
			expect(failure.description).not.toContain('Ignore SSL');
			expect(connectionFailure(cause, UNIT).message).toBe(
				`${message} (${cause}), so unit 7 was not read`,
			);
		}
	});

	it('a 407 is an account failure that points to the proxy', () => {
		const page = { text: '<html>', parseError: 'html' } as const;
		const text = describeDocumentStatus(407, {}, SITE, page, redact);

		expect(text).toMatchObject({
			message: 'A proxy between n8n and the service requires a login',
			description: expect.stringContaining('HTTPS_PROXY') as unknown,
			kind: 'account',
		});
		expect(describeStatus(LOGIN, 407, {}, redact)).toEqual(text);
	});

	const OTHER = 'The service answered the request for unit 7 with status';
	const FAULT = 'The service could not answer the request for unit 7';

	it.each<[number, Record<string, unknown>, string]>([
		[300, { location: '/there' }, 'The service pointed to another address for unit 7: /there'],
		[399, { location: 's3cret  pass' }, 'The service pointed to another address for unit 7: *****'],
		[302, { location: ['/there'] }, `${OTHER} 302`],
		[418, { location: '/there' }, `${OTHER} 418`],
		[408, {}, `${FAULT} (status 408)`],
		[599, {}, `${FAULT} (status 599)`],
	])('status %d with %j: %s', (statusCode, headers, message) => {
		expect(describeStatus(UNIT, statusCode, headers, redact).message).toBe(message);
		expect(describeDocumentStatus(statusCode, headers, UNIT, undefined, redact).message).toBe(
			message,
		);
	});

	it('each documented status has its own message, and 403 and 404 their own kind', () => {
		const failures = [400, 401, 403, 404, 422].map((status) =>
			describeDocumentStatus(status, {}, UNIT, undefined, redact),
		);

		expect(new Set(failures.map(({ message }) => message.replace(/\d{3}/, ''))).size).toBe(5);
		expect(failures.map(({ kind }) => kind)).toEqual([
			...[undefined, undefined, 'forbidden', 'notFound', undefined],
		]);
	});

	it.each([
		[{ message: '', description: '', statusCode: 404 }, '404'],
		[{ ...MESSAGES.answer.html(UNIT), statusCode: 200 }, 'html'],
		[{ message: 'Something', description: '' }, ''],
	])('the cause of %j is %j', (failure, cause) => {
		expect(getCause(failure)).toBe(cause);
	});

	it.each<[string, unknown, string]>([
		[
			'with its trace ID',
			{ code: 'not_unique', message: 'Not unique.', traceId: '00-49b5', details: { a: 1 } },
			' The service says: "Not unique." Trace ID for the operator: 00-49b5.',
		],
		['or else its code', { code: 'gone', message: ' ' }, ' The service says: "gone".'],
		['on one line', { message: '  Not\r\n\tunique ' }, ' The service says: "Not unique".'],
		[
			'cut to a readable length, but not within a character',
			{ message: `${'m'.repeat(298)}🐟🐟`, traceId: 't'.repeat(101) },
			` The service says: "${'m'.repeat(298)}…" Trace ID for the operator: ${'t'.repeat(99)}….`,
		],
		[
			'without a secret, or a part of one where it is cut',
			{ message: `${'m'.repeat(295)}s3cret  pass`, traceId: 's3cret  pass' },
			` The service says: "${'m'.repeat(295)}*****". Trace ID for the operator: *****.`,
		],
		...[
			...[undefined, null, 'Not unique', 7, [], ['Not unique'], {}],
			{ code: 7, message: { text: 'Not unique' }, traceId: null },
			{ error: { message: 'Not unique' } },
		].map((body): [string, unknown, string] => ['if there is one', body, '']),
	])('adds the message of the service %s: %j', (_what, body, told) => {
		const text = { message: 'It failed', description: 'Do this.' };

		expect(fullDescription(addServiceMessage(text, body, redact))).toBe(`Do this.${told}`);
	});

	it('orders a description: action, message of the service, advice, trace ID', () => {
		const text = { message: 'It failed', description: 'Do this.', advice: 'Or that.' };
		const body = { message: 'Gone.', traceId: '00-49b5' };

		expect(fullDescription(addServiceMessage(text, body, redact))).toBe(
			'Do this. The service says: "Gone." Or that. Trace ID for the operator: 00-49b5.',
		);
	});
});
