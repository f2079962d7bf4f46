import { Readable } from 'node:stream';
import { readBody } from '../../../../shared/body';
import {
	CANCELLED,
	causeOf,
	describeBodyFault,
	describeBreach,
	describeGivingUp,
	describeNoConnection,
	describeNoTurn,
	describeOutOfTime,
	describePlan,
	describeSiteStatus,
	describeTimeout,
	describeTooLarge,
	describeUnanswered,
	isUnknownSite,
	readableBody,
	type Failure,
} from '../../../../nodes/Aquaculture/transport/failure';
import { Budget, type Place } from '../../../../shared/budget/budget';
import { Lane } from '../../../../shared/budget/lane';
import { redactor } from '../../../../shared/redact';
import { TOKEN_FAILURE, tokenFailureCode } from '../../../../shared/tokenFailureCode';

const redact = redactor(['s3cret']);
const STATUSES = [
	300, 301, 302, 303, 307, 308, 400, 401, 402, 403, 404, 405, 408, 409, 418, 422, 500, 502, 503,
	504, 599,
];
const MINUTE_MS = 60_000;
/** The budget of an account that may send this many requests a minute, and what becomes of them. */
async function budgetAfter(outcomes: Array<(place: Place) => void>): Promise<Budget> {
	const budget = new Budget({ now: () => 0, sleep: async () => await Promise.resolve() });
	const requestsPerMinute = outcomes.length;
	for (const end of outcomes) {
		const place = await budget.enter({ lane: new Lane(), requestsPerMinute, maxWaitMs: 0 });
		end(place as Place);
	}
	return budget;
}
const accept = (place: Place) => place.accept();

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
		const known = [301, 400, 401, 403, 404, 408, 422, 500, 418];
		const messages = known.map(
			(status) => describeSiteStatus(status, {}, 'site 7', redact).message,
		);
		expect(new Set(messages).size).toBe(known.length);
	});

	it('names a version that is not supported any more as a likely cause of status 400', () => {
		expect(describeSiteStatus(400, {}, 'site 7', redact).description).toMatch(
			/^Check 'Data Request Version'.+no longer support this version/,
		);
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
			'The service asks you to wait for 2 minutes. Do this.',
		],
		[
			{ tries: 3, waitMs: 1001, leftMs: 1000 },
			'The service asks you to wait for 2 seconds, which is longer than Maximum Time per Site allows. Do this. The request was sent 3 times.',
		],
	])('tells %j', (story, description) => {
		expect(describeGivingUp(failure, story)).toEqual({ ...failure, description });
	});
});

describe('a site that is not asked for', () => {
	it.each<[string, Array<(place: Place) => void>, string]>([
		[
			'the account has sent all that it may',
			[accept, accept],
			"The account may send 2 requests a minute, shared by all workflows. Run the workflow again in 60 seconds, or raise 'Maximum Wait' under Options.",
		],
		[
			'it may send one request',
			[accept],
			"The account may send 1 request a minute, shared by all workflows. Run the workflow again in 60 seconds, or raise 'Maximum Wait' under Options.",
		],
		[
			'all requests are under way, so that none can be sent for a minute at least',
			[() => {}],
			"The account may send 1 request a minute, shared by all workflows. Run the workflow again in 60 seconds, or raise 'Maximum Wait' under Options.",
		],
		[
			'the service has refused requests',
			[accept, (place) => place.refuse(300_000)],
			"The service refused requests because there were too many, so nothing is sent for now. Run the workflow again in 5 minutes, or raise 'Maximum Wait' under Options.",
		],
	])('says why and when it can be: %s', async (_why, outcomes, description) => {
		expect(describeNoTurn('site 7', await budgetAfter(outcomes), new Lane())).toEqual({
			message: "The request for site 7 would have waited longer than 'Maximum Wait' allows",
			description,
			cause: 'noTurn',
		});
	});

	it.each<[number, number, number, string, string]>([
		[250, 100, 2 * MINUTE_MS, '250 sites would take at least 2 minutes', '100 requests a minute'],
		[131, 1, 130 * MINUTE_MS, '131 sites would take at least 2 hours', '1 request a minute'],
	])(
		'says how long %d sites would take with %d requests a minute',
		(documents, requestsPerMinute, planMs, told, limit) => {
			expect(describePlan(documents, requestsPerMinute, planMs)).toEqual({
				message: `Reading ${told}, longer than 'Maximum Wait' allows`,
				description: `The account may send ${limit}. Raise 'Maximum Wait' under Options, or read fewer sites in one run.`,
			});
		},
	);
});

describe('isUnknownSite', () => {
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

	it('does not say that the login works where no token was accepted', () => {
		expect(describeUnanswered({ httpCode: '401', message: '' }, 'site 7', redact)).toEqual({
			message: 'No token was accepted, so site 7 was not read',
			description:
				'Open the credential and test it, then run the workflow again. If it goes on, tell the operator of the service.',
		});
	});

	it('explains a connection by its code', () => {
		expect(
			describeUnanswered({ httpCode: 'ECONNREFUSED', message: 'connect' }, 'site 7', redact)
				.message,
		).toBe('The service refused the connection, so site 7 was not read');
	});

	it.each(['503', 'E503'])(
		'takes %s for the code of a connection, since a status is an answer',
		(httpCode) => {
			expect(describeUnanswered({ httpCode, message: '' }, 'site 7', redact)).toEqual({
				message: 'The service could not be reached, so site 7 was not read',
				description:
					'Check the Base URL in the credential, and that the machine n8n runs on can reach it.',
				passing: true,
				cause: httpCode,
			});
		},
	);

	it('has no description where none is known', () => {
		expect(
			describeUnanswered({ httpCode: TOKEN_FAILURE, message: 'Refused' }, 'site 7', redact),
		).toMatchObject({ description: '' });
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
		[300, 'The service pointed to another address for site 7: /there'],
		[399, 'The service pointed to another address for site 7: /there'],
		[400, 'The service did not accept the request for site 7'],
		[499, 'The service answered the request for site 7 with status 499'],
		[500, 'The service could not answer for site 7 because of a fault on its side (status 500)'],
	])('of %d is told by its kind', (status, message) => {
		const headers = { location: '/there' };
		expect(describeSiteStatus(status, headers, 'site 7', redact).message).toBe(message);
	});

	it.each([{}, { location: ['/there'] }])(
		'that redirects to nowhere is told as it is',
		(headers) => {
			expect(describeSiteStatus(302, headers, 'site 7', redact).message).toBe(
				'The service answered the request for site 7 with status 302',
			);
		},
	);
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
