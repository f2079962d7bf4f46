import { Readable } from 'node:stream';
import { readBody } from '../../../../service/body';
import {
	causeOf,
	lastFailure,
	readableBody,
	unansweredFailure,
	type HelperError,
} from '../../../../nodes/Aquaculture/requests/failure';
import { MESSAGES } from '../../../../texts/messages';
import { redactor } from '../../../../service/redact';
import { TOKEN_FAILURE, tokenFailureCode } from '../../../../account/tokenFailureCode';

const redact = redactor(['s3cret']);

it.each<[number, number | undefined, string]>([
	[1, undefined, 'Do this.'],
	[1, 0, 'Do this.'],
	[2, 0, 'Do this. The request was sent 2 times.'],
	[1, 1000, 'The service asks you to wait for 1 second. Do this.'],
	[
		3,
		1001,
		"The service asks you to wait for 2 seconds, which is longer than 'Maximum Time per Site (Seconds)' allows. Do this. The request was sent 3 times.",
	],
])('a failure after %d tries and a Retry-After of %d ms: %s', (tries, waitMs, description) => {
	const failure = { message: 'It failed', description: 'Do this.', statusCode: 503 };

	expect(lastFailure(failure, { count: tries, longestPauseMs: 1000 }, waitMs)).toEqual({
		...failure,
		description,
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

it.each<[HelperError, object]>([
	// As it is, whatever the password is.
	[
		{ httpCode: tokenFailureCode('503'), message: 'Refused', description: 'Not s3cret' },
		{ message: 'Refused', description: 'Not s3cret', accountWide: true, cause: '503' },
	],
	[
		{ httpCode: TOKEN_FAILURE, message: 'Refused' },
		{ description: '', accountWide: true, cause: '' },
	],
	[
		{ httpCode: '503', message: 'A status is an answer, so this is the code of a connection' },
		{ message: 'The service could not be reached, so unit 7 was not read', retryable: true },
	],
	[
		{ message: 'Blocked s3cret', description: 'By a s3cret' },
		{ description: 'Blocked *****. By a *****.', cause: 'notSent' },
	],
])('without an answer, n8n’s %j is explained', (error, failure) => {
	expect(unansweredFailure(error, 'unit 7', redact)).toMatchObject(failure);
});

it.each<[string, unknown]>([
	['{"a":"s3cret"}', { a: '*****' }],
	['plain s3cret', 'plain *****'],
	['{"m":["\\u00733cret"],"s3cret":11}', { m: ['*****'], '*****': 11 }],
	['', ''],
	['x'.repeat(20_000), 'x'.repeat(10_000)],
	[`${'s3cret'.repeat(2_000)}${'x'.repeat(7_997)}s3cret`, '*****'.repeat(1_600)],
	[JSON.stringify('x'.repeat(9_998)), 'x'.repeat(9_998)],
	[JSON.stringify('x'.repeat(9_999)), `"${'x'.repeat(9_999)}`],
])('the body %.20j is kept for reading', async (text, readable) => {
	const body = await readBody(Readable.from([Buffer.from(text)]));

	expect(readableBody(body, redact)).toEqual(readable);
});
