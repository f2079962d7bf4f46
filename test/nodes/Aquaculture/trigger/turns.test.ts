import { Turns } from '../../../../nodes/Aquaculture/trigger/turns';

describe('the turns of polls', () => {
	it('are one at a time for each trigger', () => {
		const turns = new Turns();
		const turn = turns.begin('a', false);

		expect(turn?.isCurrent()).toBe(true);
		expect(turns.begin('a', false)).toBeUndefined();
		expect(turns.begin('b', false)).toBeDefined();
		turn?.end();
		expect(turn?.isCurrent()).toBe(false);
		expect(turns.begin('a', false)).toBeDefined();
	});

	it('do not wait for ever for a poll that hangs, which then has nothing to say any more', () => {
		let now = 0;
		const turns = new Turns(() => now);
		const hanging = turns.begin('a', false);

		now = 59_999;
		expect(turns.begin('a', false)).toBeUndefined();
		now = 60_000;
		const next = turns.begin('a', false);
		hanging?.end();
		expect([hanging?.isCurrent(), next?.isCurrent()]).toEqual([false, true]);
		now = 60_001;
		expect(turns.begin('a', false)).toBeUndefined();
	});

	it('may be taken over, which leaves nothing to say to the one before', () => {
		const turns = new Turns();
		const before = turns.begin('a', false);
		const after = turns.begin('a', true);

		before?.end();
		expect([before?.isCurrent(), after?.isCurrent()]).toEqual([false, true]);
		expect(turns.begin('a', false)).toBeUndefined();
	});
});
