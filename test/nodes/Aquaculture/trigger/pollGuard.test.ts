import type { IPollFunctions } from 'n8n-workflow';
import { PollGuard } from '../../../../nodes/Aquaculture/trigger/pollGuard';

const contextOf = (mode: string, budgetMs: number) =>
	({ getPollBudgetMs: () => budgetMs, getActivationMode: () => mode }) as IPollFunctions;
/** How n8n's scheduler polls. */
const SCHEDULED = contextOf('update', 36_000);
const ALLOWED_MS = 28_000;

let now: number;
let guard: PollGuard;
const mayBegin = (revision: number) => {
	const poll = guard.begin(SCHEDULED, revision, ALLOWED_MS);
	poll?.end();
	return poll !== undefined;
};

beforeEach(() => {
	now = 0;
	guard = new PollGuard(() => now);
});

it('the guard of a trigger knows the activation by the context, which n8n keeps for the polls that follow', () => {
	const context = contextOf('update', 300_000);
	const old = {} as IPollFunctions;
	const patient = contextOf('update', 800_000);
	const activated = contextOf('activate', 36_000);
	const all = [context, context, old, old, SCHEDULED, SCHEDULED, patient, activated];
	const kinds = all.map((polling) => {
		const poll = guard.begin(polling, 0, ALLOWED_MS);
		poll?.end();
		return poll?.kind;
	});

	expect(kinds).toEqual([
		...['activation', 'regular', 'activation', 'regular'],
		...['scheduled', 'scheduled', 'scheduled', 'activation'],
	]);
});

it('the guard of a trigger keeps an outdated memory out for ten seconds', () => {
	expect(guard.nextRevision(7)).toBe(8);

	expect([7, 8, 9].map(mayBegin)).toEqual([false, true, true]);
	now = 9_999;
	expect(mayBegin(7)).toBe(false);
	now = 10_000;
	expect(mayBegin(7)).toBe(true);
});

it('the guard of a trigger takes any memory after an activation', () => {
	guard.nextRevision(7);
	guard.begin({} as IPollFunctions, 0, ALLOWED_MS)?.end();

	expect(mayBegin(0)).toBe(true);
});

it('the guard of a trigger ends a poll that is under way when the workflow is activated again', () => {
	const running = guard.begin(SCHEDULED, 0, ALLOWED_MS);
	const activation = guard.begin({} as IPollFunctions, 0, ALLOWED_MS);
	running?.end();

	expect([running?.signal.aborted, activation?.signal.aborted]).toEqual([true, false]);
	expect(mayBegin(0)).toBe(false);
	activation?.end();
	expect([activation?.signal.aborted, mayBegin(0)]).toEqual([false, true]);
});

it.each([ALLOWED_MS, 240_000])(
	'the guard of a trigger waits for a poll of %d ms that hangs, and ends it',
	(allowedMs) => {
		const hanging = guard.begin(SCHEDULED, 0, allowedMs);
		now = allowedMs + 29_999;
		expect([mayBegin(0), guard.isBusy]).toEqual([false, true]);

		now += 1;
		const next = guard.begin(SCHEDULED, 0, ALLOWED_MS);
		hanging?.end();

		expect([hanging?.signal.aborted, next?.signal.aborted, mayBegin(0)]).toEqual([
			...[true, false, false],
		]);
		next?.end();
		expect([guard.isBusy, mayBegin(0)]).toEqual([false, true]);
	},
);
