import type { INode } from 'n8n-workflow';
import { noticeOf, type PollFailure } from '../../../nodes/Aquaculture/trigger/failures';

const NODE: INode = {
	id: 'node',
	name: 'Aquaculture Trigger',
	type: 'n8n-nodes-aquaculture.aquacultureTrigger',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};
const MINUTE = 60_000;
const START = Date.parse('2026-03-02T07:00:00Z');
const failing = (...subjects: string[]): PollFailure[] =>
	subjects.map((subject) => ({
		subject,
		failure: { message: `The service does not know site ${subject}`, description: 'Check it.' },
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

	it('is told of at once when it is back after it was over, or when another site fails too', () => {
		const first = noticeOf(NODE, failing('1001'), {}, START);
		const second = noticeOf(NODE, failing('1001', '1002'), first.toldAt, START + MINUTE);
		const third = noticeOf(NODE, failing('1002'), second.toldAt, START + 2 * MINUTE);
		const fourth = noticeOf(NODE, failing('1001', '1002'), third.toldAt, START + 3 * MINUTE);

		expect([first, second, third, fourth].map(({ error }) => error !== undefined)).toEqual([
			true,
			true,
			false,
			true,
		]);
		expect(noticeOf(NODE, [], fourth.toldAt, START)).toEqual({ error: undefined, toldAt: {} });
	});

	it('is told of when the clock has been put back', () => {
		const { toldAt } = noticeOf(NODE, failing('1001'), {}, START + 24 * 60 * MINUTE);

		expect(noticeOf(NODE, failing('1001'), toldAt, START).error).toBeDefined();
	});

	it('is told of with the first of many sites', () => {
		const { error } = noticeOf(NODE, failing(...'12345678'), {}, START);

		expect(error?.message).toBe('8 sites could not be read');
		expect(error?.description).toMatch(
			/^The service does not know site 1\. .* site 5\. And 3 more\. The trigger asks again/,
		);
	});
});
