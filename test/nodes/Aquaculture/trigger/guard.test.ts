import type { IPollFunctions } from 'n8n-workflow';
import { PollGuard } from '../../../../nodes/Aquaculture/trigger/guard';

/** How n8n's scheduler polls. */
const SCHEDULED = { getPollBudgetMs: () => 36_000 } as IPollFunctions;

describe('the guard of a trigger', () => {
	let now: number;
	let guard: PollGuard;
	const mayBegin = (revision: number) => {
		const poll = guard.begin(SCHEDULED, revision);
		poll?.end();
		return poll !== undefined;
	};

	beforeEach(() => {
		now = 0;
		guard = new PollGuard(() => now);
	});

	it('knows the activation by the context, which n8n keeps for the polls that follow', () => {
		const context = { getPollBudgetMs: () => 300_000 } as IPollFunctions;
		const old = {} as IPollFunctions;
		const patient = { getPollBudgetMs: () => 800_000 } as IPollFunctions;
		const kinds = [context, context, old, old, SCHEDULED, SCHEDULED, patient].map((polling) => {
			const poll = guard.begin(polling, 0);
			poll?.end();
			return poll?.kind;
		});

		expect(kinds).toEqual([
			...['activation', 'regular', 'activation', 'regular'],
			...['scheduled', 'scheduled', 'scheduled'],
		]);
	});

	it('keeps an outdated memory out for ten seconds', () => {
		expect(guard.nextRevision(7)).toBe(8);

		expect([7, 8, 9].map(mayBegin)).toEqual([false, true, true]);
		now = 9_999;
		expect(mayBegin(7)).toBe(false);
		now = 10_000;
		expect(mayBegin(7)).toBe(true);
	});

	it('takes any memory after an activation', () => {
		guard.nextRevision(7);
		guard.begin({} as IPollFunctions, 0)?.end();

		expect(mayBegin(0)).toBe(true);
	});

	it('waits a minute for a poll that hangs, which then is not the current one any more', () => {
		const hanging = guard.begin(SCHEDULED, 0);
		now = 59_999;
		expect([mayBegin(0), guard.isBusy]).toEqual([false, true]);

		now = 60_000;
		const next = guard.begin(SCHEDULED, 0);
		hanging?.end();

		expect([hanging?.isCurrent(), next?.isCurrent(), mayBegin(0)]).toEqual([false, true, false]);
		next?.end();
		expect([next?.isCurrent(), guard.isBusy, mayBegin(0)]).toEqual([false, false, true]);
	});
});
