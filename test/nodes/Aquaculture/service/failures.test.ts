import {
	causeOf,
	connectionFailure,
	documentStatus,
	statusMessage,
	withRemark,
} from '../../../../nodes/Aquaculture/service/failures';
import { redactor } from '../../../../nodes/Aquaculture/service/redact';
import { descriptionOf, LOGIN, MESSAGES } from '../../../../nodes/Aquaculture/messages/messages';

const redact = redactor(['s3cret  pass']);

it.each<[string, boolean, string]>([
	['The service refused the connection', true, 'ECONNREFUSED'],
	['The host name of the service was not found', false, 'ENOTFOUND'],
	['The service could not be reached', true, 'EHOSTUNREACH EAI_AGAIN SOMETHING_NEW __proto__ 503'],
	[
		'The connection to the service broke off',
		true,
		'ECONNRESET EPIPE ERR_STREAM_PREMATURE_CLOSE ERR_BAD_RESPONSE',
	],
	[
		'The certificate of the service is not trusted',
		false,
		'CERT_HAS_EXPIRED CERT_NOT_YET_VALID ERR_TLS_CERT_ALTNAME_INVALID DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN UNABLE_TO_GET_ISSUER_CERT UNABLE_TO_GET_ISSUER_CERT_LOCALLY UNABLE_TO_VERIFY_LEAF_SIGNATURE',
	],
	[
		'A secure connection to the service could not be set up',
		false,
		'EPROTO ERR_SSL_WRONG_VERSION_NUMBER',
	],
])('%s (worth another try: %j): %s', (message, retryable, codes) => {
	for (const cause of codes.split(' ')) {
		expect(connectionFailure(cause, LOGIN)).toMatchObject({ message, retryable, cause });
		expect(connectionFailure(cause, 'unit 7').message).toBe(`${message}, so unit 7 was not read`);
	}
});

it('an answer that breaks the rules of HTTP is named with what the parser says, unless nothing there has spoken HTTP yet', () => {
	expect(connectionFailure('HPE_INVALID_CONSTANT', LOGIN)).toMatchObject({
		message: 'No web service answers at this address',
		retryable: false,
	});
	expect(connectionFailure('HPE_HEADER_OVERFLOW', 'unit 7')).toMatchObject({
		message: 'The answer for unit 7 does not follow the rules of HTTP (HPE_HEADER_OVERFLOW)',
		retryable: false,
	});
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
	expect(statusMessage('unit 7', statusCode, headers, redact).message).toBe(message);
	expect(documentStatus(statusCode, headers, 'unit 7', redact).message).toBe(message);
});

it('each status that the operator publishes has a message of its own for a document, and 404 is no failure of its own', () => {
	const failures = [400, 401, 403, 404, 422].map((status) =>
		documentStatus(status, {}, 'unit 7', redact),
	);

	expect(new Set(failures.map(({ message }) => message.replace(/\d{3}/, ''))).size).toBe(5);
	expect(failures.map(({ unknown }) => unknown === true)).toEqual([
		...[false, false, false, true, false],
	]);
});

it.each([
	[{ message: '', description: '', statusCode: 404 }, '404'],
	[{ ...MESSAGES.answer.html('unit 7'), statusCode: 200 }, 'html'],
	[{ message: 'Something', description: '' }, ''],
])('the cause of %j is %j', (failure, cause) => {
	expect(causeOf(failure)).toBe(cause);
});

it.each<[string, unknown, string]>([
	[
		'its message, and the trace ID by which the operator finds the request',
		{ code: 'not_unique', message: 'Not unique.', traceId: '00-49b5', details: { a: 1 } },
		' The service says: "Not unique." Trace ID for its operator: 00-49b5.',
	],
	['its code without a message', { code: 'gone', message: ' ' }, ' The service says: "gone".'],
	['on one line', { message: '  Not\r\n\tunique ' }, ' The service says: "Not unique".'],
	[
		'cut to a readable length, but not within a character',
		{ message: `${'m'.repeat(298)}🐟🐟`, traceId: 't'.repeat(101) },
		` The service says: "${'m'.repeat(298)}…" Trace ID for its operator: ${'t'.repeat(99)}….`,
	],
	[
		'without a secret, or a part of one where it is cut',
		{ message: `${'m'.repeat(295)}s3cret  pass`, traceId: 's3cret  pass' },
		` The service says: "${'m'.repeat(295)}*****". Trace ID for its operator: *****.`,
	],
	...[
		...[undefined, null, 'Not unique', 7, [], ['Not unique'], {}],
		{ code: 7, message: { text: 'Not unique' }, traceId: null },
		{ error: { message: 'Not unique' } },
	].map((body): [string, unknown, string] => ['nothing', body, '']),
])('what the service says of a failure is added as %s: %j', (_what, body, told) => {
	const text = { message: 'It failed', description: 'Do this.' };

	expect(descriptionOf(withRemark(text, body, redact))).toBe(`Do this.${told}`);
});

it('people read first what to do, then what the service says, then what else may help, and the trace ID last', () => {
	const text = { message: 'It failed', description: 'Do this.', advice: 'Or that.' };
	const body = { message: 'Gone.', traceId: '00-49b5' };

	expect(descriptionOf(withRemark(text, body, redact))).toBe(
		'Do this. The service says: "Gone." Or that. Trace ID for its operator: 00-49b5.',
	);
});
