import { Readable } from 'node:stream';
import { readBody } from '../../../../shared/body';
import {
	CANCELLED,
	causeOf,
	describeBodyFault,
	describeBreach,
	describeGivingUp,
	describeHeld,
	describeNoConnection,
	describeOutOfTime,
	describeSiteStatus,
	describeTimeout,
	describeTooLarge,
	describeUnanswered,
	isUnknownSite,
	readableBody,
	unsuccessfulAnswer,
	type Failure,
	type HelperError,
} from '../../../../nodes/Aquaculture/transport/failure';
import { redactor } from '../../../../shared/redact';
import { TOKEN_FAILURE, tokenFailureCode } from '../../../../shared/tokenFailureCode';

const redact = redactor(['s3cret']);
const STATUSES = [
	300, 301, 302, 303, 307, 308, 400, 401, 402, 403, 404, 405, 408, 409, 418, 429, 500, 502, 503,
	504, 599,
];

describe('each failure', () => {
	const all = [
		...STATUSES.map((status) => describeSiteStatus(status, {}, 'site 7', redact)),
		...(['empty', 'html', 'malformed', 'nested', 'notUtf8', 'charset'] as const).map((fault) =>
			describeBodyFault(fault, 'site 7'),
		),
		describeBreach('The answer is about site 8', 'site 7'),
		describeTimeout('site 7', 1500),
		describeOutOfTime('site 7', 4500),
		describeTooLarge('site 7', 1024 * 1024),
	];

	it.each(all)('$message', ({ message, description }) => {
		expect(message).toContain('site 7');
		expect(message).not.toMatch(/\.$/);
		expect(description).toMatch(/^[A-Z].*\.$/);
		expect(`${message} ${description}`).not.toMatch(/\berror\b|\bproblem\b/i);
	});

	it('names no field that some operation does not have', () => {
		const advice = all.map(({ description }) => description).join(' ');

		expect(advice).not.toMatch(/Include (?:Info|Units|Site Info)|Additional Includes|Simplify/);
	});

	it('has words of its own', () => {
		const known = [301, 400, 401, 403, 404, 408, 429, 500, 418];
		const messages = known.map(
			(status) => describeSiteStatus(status, {}, 'site 7', redact).message,
		);
		expect(new Set(messages).size).toBe(known.length);
	});

	it('carries no secret from an address that a redirect points to', () => {
		expect(describeSiteStatus(302, { location: '/?t=s3cret' }, 'site 7', redact).message).toContain(
			'/?t=*****',
		);
	});
});

describe('a failure after waiting', () => {
	const failure = { message: 'It failed', description: 'Do this.', statusCode: 503 };
	const EVER = Infinity;

	it.each<[{ tries: number; waitMs: number; leftMs: number }, string]>([
		[{ tries: 1, waitMs: 0, leftMs: 0 }, 'Do this.'],
		[{ tries: 2, waitMs: 0, leftMs: 0 }, 'Do this. The request was sent 2 times.'],
		[
			{ tries: 1, waitMs: 1000, leftMs: 1000 },
			'The service asks you to wait for 1 second. Do this.',
		],
		[{ tries: 1, waitMs: 1, leftMs: EVER }, 'The service asks you to wait for 1 second. Do this.'],
		[
			{ tries: 1, waitMs: 120_000, leftMs: EVER },
			'The service asks you to wait for 120 seconds. Do this.',
		],
		[
			{ tries: 3, waitMs: 1001, leftMs: 1000 },
			'The service asks you to wait for 2 seconds, which is longer than Maximum Time per Site allows. Do this. The request was sent 3 times.',
		],
	])('tells %j', (story, description) => {
		expect(describeGivingUp(failure, story)).toEqual({ ...failure, description });
	});

	it('tells the time of day where that is long', () => {
		const { description } = describeHeld('site 7', 121_000, EVER);

		const told =
			/^The service asks you to wait until (.+ GMT)\. Run the workflow again after that\.$/.exec(
				description,
			);
		const wait = Date.parse(told?.[1] ?? '') - Date.now();
		expect(Math.round(wait / 10_000)).toBe(12);
	});

	it('tells which site was not asked for', () => {
		expect(describeHeld('site 7', 9000, 8000)).toEqual({
			message: 'The service asks to wait, so site 7 was not read',
			description:
				'The service asks you to wait for 9 seconds, which is longer than Maximum Time per Site allows. Run the workflow again after that.',
			cause: '429',
		});
	});
});

describe('what the helper throws', () => {
	const stream = { headers: { 'retry-after': '9' } };

	it.each<[string, unknown, unknown]>([
		[
			'n8n 2.x',
			{ httpCode: '503', context: { data: stream }, cause: { response: { headers: { a: 'b' } } } },
			{ statusCode: 503, headers: { a: 'b' }, stream },
		],
		[
			'n8n 1.x',
			{ httpCode: '503', context: { data: stream } },
			{ statusCode: 503, headers: stream.headers, stream },
		],
		[
			'one that has no response',
			{ httpCode: '503', context: { data: {} }, cause: {} },
			{ statusCode: 503, headers: {}, stream: {} },
		],
	])('stands for an answer in %s', (_version, error, answer) => {
		expect(unsuccessfulAnswer(error as HelperError)).toEqual(answer);
	});

	it.each([
		{},
		{ httpCode: '503' },
		{ httpCode: '503', context: {} },
		{ context: { data: stream } },
		{ httpCode: null, context: { data: stream } },
		{ httpCode: 'ECONNRESET', context: { data: stream } },
		{ httpCode: '5030', context: { data: stream } },
		{ httpCode: 'E503', context: { data: stream } },
	])('stands for none: %j', (error) => {
		expect(unsuccessfulAnswer(error as unknown as HelperError)).toBeUndefined();
	});

	it('knows a site that does not exist', () => {
		expect(isUnknownSite({ message: '', description: '', statusCode: 404 })).toBe(true);
		expect(isUnknownSite({ message: '', description: '' })).toBe(false);
	});
});

describe('the cause of a failure', () => {
	it.each<[Failure, string]>([
		[{ message: '', description: '', statusCode: 404 }, '404'],
		[{ ...describeBodyFault('html', 'site 7'), statusCode: 200 }, 'html'],
		[{ ...describeBodyFault('empty', 'site 7'), statusCode: 200 }, 'empty'],
		[{ ...describeBreach('x', 'site 7'), statusCode: 200 }, 'breach'],
		[{ ...describeTooLarge('site 7', 1), statusCode: 200 }, 'tooLarge'],
		[describeTimeout('site 7', 1), 'timeout'],
		[describeNoConnection('ECONNRESET', 'site 7'), 'ECONNRESET'],
		[{ message: 'Something', description: '' }, ''],
	])('of %j is %s', (failure, cause) => {
		expect(causeOf(failure)).toBe(cause);
	});
});

describe('describeUnanswered', () => {
	it('takes the sentences of a missing token as they are, for all sites', () => {
		expect(
			describeUnanswered(
				{ httpCode: tokenFailureCode('503'), message: 'Refused', description: 'Do this' },
				'site 7',
				redact,
			),
		).toEqual({ message: 'Refused', description: 'Do this', accountWide: true, cause: '503' });
	});

	it('leaves these sentences whole, whatever the password is', () => {
		const message = 'The service refused the username and password';

		expect(
			describeUnanswered(
				{ httpCode: TOKEN_FAILURE, message, description: 'Correct Password.' },
				'site 7',
				redactor(['service', 'Password']),
			),
		).toMatchObject({ message, description: 'Correct Password.' });
	});

	it.each([404, 503])('keeps status %d where there is no body', (statusCode) => {
		expect(
			describeUnanswered({ httpCode: `${statusCode}`, message: '' }, 'site 7', redact),
		).toMatchObject({ statusCode, passing: statusCode === 503 });
	});

	it('does not say that the login works where no token was accepted', () => {
		expect(describeUnanswered({ httpCode: '401', message: '' }, 'site 7', redact)).toEqual({
			message: 'No token was accepted, so site 7 was not read',
			description:
				'Open the credential and test it, then run the workflow again. If it goes on, tell the operator of the service.',
			statusCode: 401,
			passing: false,
		});
	});

	it('explains a connection by its code', () => {
		expect(
			describeUnanswered({ httpCode: 'ECONNREFUSED', message: 'connect' }, 'site 7', redact)
				.message,
		).toBe('The service refused the connection, so site 7 was not read');
	});

	it.each(['5030', 'E503'])('does not take %s for a status', (httpCode) => {
		expect(describeUnanswered({ httpCode, message: '' }, 'site 7', redact)).toEqual({
			message: 'The service could not be reached, so site 7 was not read',
			description:
				'Check the Base URL in the credential, and that the machine n8n runs on can reach it.',
			passing: true,
			cause: httpCode,
		});
	});

	it('has no description where none is known', () => {
		expect(
			describeUnanswered({ httpCode: TOKEN_FAILURE, message: 'Refused' }, 'site 7', redact),
		).toMatchObject({ description: '' });
	});

	it.each([404, 418])('says what status %d means', (statusCode) => {
		expect(
			describeUnanswered({ httpCode: `${statusCode}`, message: '' }, 'site 7', redact),
		).toMatchObject(describeSiteStatus(statusCode, {}, 'site 7', redact));
	});

	it('hands on what n8n says when it does not send a request', () => {
		expect(describeUnanswered({ message: 'Blocked s3cret' }, 'site 7', redact)).toEqual({
			message: 'Blocked *****',
			description: 'n8n did not send the request.',
			cause: 'notSent',
		});
	});
});

it('a canceled execution is told by the word that n8n looks for, for all sites', () => {
	expect(CANCELLED).toEqual({
		message: expect.stringContaining('canceled') as unknown,
		description: 'Run the workflow again.',
		cancelled: true,
		accountWide: true,
	});
});

describe('the time in a sentence', () => {
	it('is that of one try, or of all', () => {
		expect(describeTimeout('site 7', 1500).message).toBe(
			'The service did not send the whole answer for site 7 within 1.5 seconds',
		);
		expect(describeOutOfTime('site 7', 45_000)).toEqual({
			message: 'The service did not send the whole answer for site 7 within 45 seconds in all',
			description: 'Run the workflow again, or raise Maximum Time per Site under Options.',
			cause: 'timeout',
		});
	});
});

describe('a status', () => {
	it.each([
		[299, 'The service answered the request for site 7 with status 299'],
		[300, 'The service pointed to another address for site 7'],
		[399, 'The service pointed to another address for site 7'],
		[499, 'The service answered the request for site 7 with status 499'],
		[500, 'The service could not answer for site 7 because of a fault on its side (status 500)'],
	])('of %d is told by its kind', (status, message) => {
		expect(describeSiteStatus(status, {}, 'site 7', redact).message).toBe(message);
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
