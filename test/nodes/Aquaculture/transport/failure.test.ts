import { Readable } from 'node:stream';
import { readBody } from '../../../../shared/body';
import {
	CANCELLED,
	causeOf,
	documentStatus,
	isUnknown,
	lastFailure,
	readableBody,
	unansweredFailure,
} from '../../../../nodes/Aquaculture/transport/failure';
import { MESSAGES } from '../../../../shared/messages';
import { redactor } from '../../../../shared/redact';
import { TOKEN_FAILURE, tokenFailureCode } from '../../../../shared/tokenFailureCode';

const redact = redactor(['s3cret']);
const UNIT = { subject: 'unit 7', kind: { one: 'unit', many: 'units' } };

describe('a status', () => {
	it.each<[number, string, RegExp]>([
		[
			400,
			'The service did not accept the request for unit 7',
			/^Check 'Data Request Version'.+no longer support this version/,
		],
		[401, 'The service does not let this account read unit 7', /which units/],
		[403, 'This account may not read unit 7', /right to read it/],
		[
			404,
			'The service does not know unit 7',
			/^Check the unit ID\. .+turn on 'Ignore Missing Sites' .+or set 'On Error'/,
		],
		[422, 'The service could not carry out the request for unit 7', /Run the workflow again/],
		[503, 'The service could not answer the request for unit 7 (status 503)', /./],
	])('of %d is explained for any document', (status, message, description) => {
		expect(documentStatus(status, {}, UNIT, redact)).toEqual({
			message,
			description: expect.stringMatching(description) as unknown,
		});
	});

	it('has no secret where it points to another address', () => {
		const { message } = documentStatus(302, { location: '/?t=s3cret' }, UNIT, redact);

		expect(message).toContain('/?t=*****');
	});

	it('of 404 stands for a document that does not exist', () => {
		expect(isUnknown({ message: '', description: '', statusCode: 404 })).toBe(true);
		expect(isUnknown({ message: '', description: '' })).toBe(false);
	});
});

describe('a failure after waiting', () => {
	const failure = { message: 'It failed', description: 'Do this.', statusCode: 503 };

	it.each<[{ tries: number; waitMs: number; leftMs: number }, string]>([
		[{ tries: 1, waitMs: 0, leftMs: 0 }, 'Do this.'],
		[{ tries: 2, waitMs: 0, leftMs: 0 }, 'Do this. The request was sent 2 times.'],
		[
			{ tries: 1, waitMs: 1000, leftMs: 1000 },
			'The service asks you to wait for 1 second. Do this.',
		],
		[
			{ tries: 3, waitMs: 1001, leftMs: 1000 },
			"The service asks you to wait for 2 seconds, which is longer than 'Maximum Time per Site' allows. Do this. The request was sent 3 times.",
		],
	])('describes %j', (story, description) => {
		expect(lastFailure(failure, story)).toEqual({ ...failure, description });
	});
});

it.each([
	[{ message: '', description: '', statusCode: 404 }, '404'],
	[{ ...MESSAGES.answer.html('unit 7'), statusCode: 200 }, 'html'],
	[MESSAGES.limits.tookTooLong('unit 7', 1), 'timeout'],
	[{ message: 'Something', description: '' }, ''],
])('the cause of %j is %j', (failure, cause) => {
	expect(causeOf(failure)).toBe(cause);
});

describe('a request without an answer', () => {
	it('has the message of a missing token as it is, whatever the password is, for all documents', () => {
		const message = 'The service refused the username and password';

		expect(
			unansweredFailure(
				{ httpCode: tokenFailureCode('503'), message, description: 'Correct Password.' },
				'unit 7',
				redactor(['service', 'Password']),
			),
		).toEqual({ message, description: 'Correct Password.', accountWide: true, cause: '503' });
	});

	it('has no description where none is known', () => {
		expect(
			unansweredFailure({ httpCode: TOKEN_FAILURE, message: 'Refused' }, 'unit 7', redact),
		).toMatchObject({ description: '' });
	});

	it('does not say that the login works where no token was accepted', () => {
		expect(unansweredFailure({ httpCode: '401', message: '' }, 'unit 7', redact).message).toBe(
			'No token was accepted, so unit 7 was not read',
		);
	});

	it.each([
		['ECONNREFUSED', 'The service refused the connection, so unit 7 was not read'],
		['503', 'The service could not be reached, so unit 7 was not read'],
		['E503', 'The service could not be reached, so unit 7 was not read'],
	])('has a code of a connection, since a status is an answer: %s', (httpCode, message) => {
		expect(unansweredFailure({ httpCode, message: 'connect' }, 'unit 7', redact)).toMatchObject({
			message,
			passing: true,
			cause: httpCode,
		});
	});

	it.each([
		[undefined, 'Blocked *****.'],
		['By a *****', 'Blocked *****. By a *****.'],
	])('repeats what n8n says when it does not send a request', (description, told) => {
		const error = {
			message: 'Blocked s3cret',
			description: description?.replace('*****', 's3cret'),
		};

		expect(
			unansweredFailure({ ...error, description: error.description ?? null }, 'unit 7', redact),
		).toEqual({
			message: 'n8n did not send the request for unit 7',
			description: told,
			cause: 'notSent',
		});
	});
});

it('a canceled execution is recognised by the word that n8n looks for, for all documents', () => {
	expect(CANCELLED).toMatchObject({
		message: expect.stringContaining('canceled') as unknown,
		cancelled: true,
		accountWide: true,
	});
});

describe('readableBody', () => {
	it.each<[string, unknown]>([
		['{"a":"s3cret"}', { a: '*****' }],
		['plain s3cret', 'plain *****'],
		['{"m":["\\u00733cret"],"s3cret":11}', { m: ['*****'], '*****': 11 }],
		['', ''],
		['x'.repeat(20_000), 'x'.repeat(10_000)],
		[JSON.stringify('x'.repeat(9_998)), 'x'.repeat(9_998)],
		[JSON.stringify('x'.repeat(9_999)), `"${'x'.repeat(9_999)}`],
		[JSON.stringify('x'.repeat(20_000)), `"${'x'.repeat(9_999)}`],
	])('of %.20j', async (text, readable) => {
		const body = await readBody(Readable.from([Buffer.from(text)]));

		expect(readableBody(body, redact)).toEqual(readable);
	});
});
