import { Turns } from '../../../../nodes/Aquaculture/trigger/turns';

describe('the turns of polls', () => {
	it('are one at a time for each trigger', () => {
		const turns = new Turns();
		const turn = turns.begin('a');

		expect(turn?.isCurrent()).toBe(true);
		expect(turns.begin('a')).toBeUndefined();
		expect(turns.begin('b')).toBeDefined();
		turn?.end();
		expect(turn?.isCurrent()).toBe(false);
		expect(turns.begin('a')).toBeDefined();
	});

	it('do not wait for ever for a poll that hangs, which then has nothing to say any more', () => {
		const turns = new Turns();
		const hanging = turns.begin('a', false, 0);

		expect(turns.begin('a', false, 59_999)).toBeUndefined();
		const next = turns.begin('a', false, 60_000);
		hanging?.end();
		expect([hanging?.isCurrent(), next?.isCurrent()]).toEqual([false, true]);
		expect(turns.begin('a', false, 60_001)).toBeUndefined();
	});

	it('may be taken over, which leaves nothing to say to the one before', () => {
		const turns = new Turns();
		const before = turns.begin('a');
		const after = turns.begin('a', true);

		before?.end();
		expect([before?.isCurrent(), after?.isCurrent()]).toEqual([false, true]);
		expect(turns.begin('a')).toBeUndefined();
	});
});
