import { noticeOf, type PollFailure } from '../../../../nodes/Aquaculture/trigger/failures';
import { nodeOf } from '../nodeOf';

const NODE = nodeOf('n8n-nodes-aquaculture.aquacultureTrigger');
const MINUTE = 60_000;
const START = Date.parse('2026-03-02T07:00:00Z');
const failing = (...subjects: string[]): PollFailure[] =>
	subjects.map((subject) => ({
		subject,
		isShared: false,
		failure: {
			message: `The service does not know site ${subject}`,
			description: `Check ${subject}.`,
			statusCode: 404,
			body: { about: subject },
		},
	}));

describe('a failure that goes on', () => {
	it('is told of at once and then about once an hour', () => {
		let toldAt = {};
		const toldAfter: number[] = [];
		for (let minute = 0; minute <= 150; minute++) {
			const now = START + minute * MINUTE;
			const notice = noticeOf(NODE, failing('1001'), toldAt, now);
			({ toldAt } = notice);
			if (notice.error) toldAfter.push(minute);
		}
		expect(toldAfter).toEqual([0, 59, 118]);
	});

	it('is told of at once when another site fails too, and not anew when it comes and goes', () => {
		const polls = [['1001'], ['1001', '1002'], ['1002'], [], ['1001', '1002'], ['1003']];
		let toldAt = {};
		const told = polls.map((subjects, minute) => {
			const notice = noticeOf(NODE, failing(...subjects), toldAt, START + minute * MINUTE);
			({ toldAt } = notice);
			return notice.error !== undefined;
		});

		expect(told).toEqual([true, true, false, false, false, true]);
		expect(noticeOf(NODE, [], toldAt, START + 120 * MINUTE)).toEqual({
			error: undefined,
			toldAt: {},
		});
	});

	it('is told of when the clock has been put back', () => {
		const { toldAt } = noticeOf(NODE, failing('1001'), {}, START + 24 * 60 * MINUTE);

		expect(noticeOf(NODE, failing('1001'), toldAt, START).error).toBeDefined();
	});

	it('is told of with the first of many sites, its status and its body', () => {
		const { error } = noticeOf(NODE, failing(...'12345678'), {}, START);

		expect(error?.message).toBe('8 sites could not be read');
		expect(error?.description).toMatch(
			/^The service does not know site 1\. Check 1\. The service does not know site 2\. .* site 6\. And 2 more\. The trigger asks again/,
		);
		expect(error).toMatchObject({ httpCode: '404', context: { data: { about: '1' } } });
	});

	it('is told of by what several sites have in common, and with the sites that failed by themselves', () => {
		const shared: PollFailure = {
			subject: 'account',
			isShared: true,
			failure: { message: 'The service refused it', description: 'Do this.' },
		};
		const { error } = noticeOf(NODE, [shared, ...failing('1', '2')], {}, START);

		expect(error?.message).toBe('The service refused it');
		expect(error?.description).toMatch(
			/^Do this\. The service does not know site 1\. The service does not know site 2\. The trigger asks again/,
		);
	});

	it('of one site is told of as it is', () => {
		const { error } = noticeOf(NODE, failing('1'), {}, START);

		expect(error?.message).toBe('The service does not know site 1');
		expect(error?.description).toBe(
			'Check 1. The trigger asks again at its next poll, and compares with what it remembers. As long as it goes on, you are told once an hour.',
		);
	});

	it('is told of with all of a few sites', () => {
		const { error } = noticeOf(NODE, failing('1', '2'), {}, START);

		expect(error?.description).toMatch(
			/^The service does not know site 1\. Check 1\. The service does not know site 2\. The trigger asks/,
		);
	});
});
