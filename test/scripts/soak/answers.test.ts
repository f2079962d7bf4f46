import { judgeAnswer, needlessRequests, type Witness } from '../../../scripts/soak/answers';
import type { AnsweredCall } from '../../../scripts/soak/calls';
import type { Reply } from '../../../scripts/soak/replies';
import { STORED_SITES } from '../../../scripts/soak/sites';

const [one, two] = STORED_SITES as [(typeof STORED_SITES)[0], (typeof STORED_SITES)[0]];
const UNKNOWN = 'The service does not know site 4040';

const reply = (kind: Reply['kind'], message = '', waitSeconds = 0): Reply => ({
	at: 1000,
	kind,
	message,
	waitSeconds,
});
const call = (items: unknown, fields: Partial<AnsweredCall> = {}): AnsweredCall => ({
	operation: 'site',
	ids: [one.siteId, 4040, two.siteId],
	index: 7,
	sentAt: 1000,
	answeredAt: 2000,
	status: 200,
	text: JSON.stringify(items),
	...fields,
});
const witness = (
	fields: Partial<Witness> = {},
	replies: Array<[number, Reply[]]> = [],
): Witness => ({
	repliesOf: () =>
		new Map([
			[one.siteId, [reply('read')]],
			[two.siteId, [reply('passing', 'x'), reply('read')]],
			[4040, [reply('final', UNKNOWN)]],
			...replies,
		]),
	logins: [],
	entered: [],
	...fields,
});

describe('the answer of a call', () => {
	it('is right with each site in its place, and an error with a reason for what was not read', () => {
		expect(judgeAnswer(call([one, { error: UNKNOWN }, two]), witness())).toEqual({
			read: 2,
			failed: ['answered for good'],
			faults: [],
		});
	});

	it.each([
		['an item is missing', [one, { error: UNKNOWN }]],
		['an item comes twice', [one, { error: UNKNOWN }, two, two]],
		['the items have changed places', [two, { error: UNKNOWN }, one]],
		['an item is altered', [{ ...one, siteName: 'x' }, { error: UNKNOWN }, two]],
		['a site was read, but failed', [one, { error: UNKNOWN }, { error: 'x' }]],
		['an error says something else', [one, { error: 'x' }, two]],
		['an error holds more', [one, { error: UNKNOWN, info: {} }, two]],
		['there are no items', { message: 'x' }],
	])('is wrong where %s', (_what, items) => {
		expect(judgeAnswer(call(items), witness()).faults).not.toEqual([]);
	});

	it('is wrong without an answer', () => {
		expect(judgeAnswer(call([], { status: 0, text: 'timeout' }), witness()).faults).toHaveLength(1);
	});

	it('may be a failed login of the password that was entered at that time, and no other one', () => {
		const failure = { message: 'refused', isPassing: false, pauseMs: 30_000 };
		const logins = [{ at: 500, password: 'p', failure }];
		const answer = call([{ error: 'refused' }], { ids: [one.siteId] });
		const judge = (from: number, until: number) =>
			judgeAnswer(
				answer,
				witness({ logins, entered: [{ password: 'p', from, until }], repliesOf: () => new Map() }),
			);

		expect(judge(0, 1500).failed).toEqual(['login failed']);
		expect(judge(0, 900).faults).toHaveLength(1);
		expect(judge(2100, Infinity).faults).toHaveLength(1);
	});

	it('may say that a site failed only when its tries are used up, or the service asks to wait', () => {
		const answer = call([{ error: 'x' }], { ids: [one.siteId] });
		const judge = (replies: Reply[]) =>
			judgeAnswer(answer, witness({}, [[one.siteId, replies]])).failed;

		expect(judge(Array<Reply>(5).fill(reply('passing', 'x')))).toEqual(['tries used up']);
		expect(judge(Array<Reply>(4).fill(reply('passing', 'x')))).toEqual([]);
		expect(judge([reply('passing', 'x', 90)])).toEqual(['asked to wait too long']);
		expect(judge([reply('rejected', 'x')])).toEqual([]);
		expect(judge([{ ...reply('rejected', 'x'), mayStand: true }])).toEqual(['rejected again']);
	});

	it('of a workflow that stops is right with a failure only where a site failed', () => {
		const stopped = (ids: number[]) =>
			judgeAnswer(call({}, { operation: 'stop', status: 500, ids }), witness()).faults;

		expect(stopped([one.siteId, 4040])).toEqual([]);
		expect(stopped([one.siteId, two.siteId])).toHaveLength(1);
	});
});

describe('requests for a site', () => {
	it.each<[number, Array<Reply['kind']>]>([
		[0, ['read']],
		[0, ['passing', 'rejected', 'passing', 'passing', 'passing', 'read']],
		[1, ['read', 'read']],
		[2, ['final', 'passing', 'read']],
		[1, ['passing', 'passing', 'passing', 'passing', 'passing', 'read']],
		[0, ['rejected', 'rejected', 'rejected', 'read']],
		[2, ['rejected', 'rejected', 'rejected', 'rejected', 'rejected', 'rejected']],
	])('are needless %d times in %j', (needless, kinds) => {
		expect(needlessRequests(kinds.map((kind) => reply(kind)))).toBe(needless);
	});
});
