import { Deadlines } from '../../../../nodes/Aquaculture/transport/deadlines';

describe('Deadlines', () => {
	/** Begins a deadline that tells its name when it is over. */
	const begin = (deadlines: Deadlines, told: string[], name: string, milliseconds: number) => {
		let stop = () => {};
		const over = new Promise<void>((resolve) => {
			stop = deadlines.begin(milliseconds, () => {
				told.push(name);
				resolve();
			});
		});
		return { over, stop };
	};

	it('are over one after the other, also where a later one is shorter', async () => {
		const deadlines = new Deadlines();
		const told: string[] = [];

		const all = [
			begin(deadlines, told, 'second', 400),
			begin(deadlines, told, 'third', 800),
			begin(deadlines, told, 'first', 20),
		];
		await Promise.all(all.map(async ({ over }) => await over));

		expect(told).toEqual(['first', 'second', 'third']);
	});

	it('are over when their time is, and not before', async () => {
		const told: string[] = [];
		const beganAt = performance.now();

		await begin(new Deadlines(), told, 'one', 60).over;

		expect(performance.now() - beganAt).toBeGreaterThanOrEqual(60);
	});

	it('are not over once they have been stopped, which leaves the others alone', async () => {
		const deadlines = new Deadlines();
		const told: string[] = [];
		const stopped = begin(deadlines, told, 'stopped', 10);
		const late = begin(deadlines, told, 'late', 50);

		stopped.stop();
		await late.over;

		expect(told).toEqual(['late']);
	});

	it('are not over with one that was begun with them', async () => {
		const deadlines = new Deadlines();
		const told: string[] = [];
		const late = begin(deadlines, told, 'late', 60_000);
		const early = begin(deadlines, told, 'early', 10);

		await early.over;
		await new Promise((resolve) => setImmediate(resolve));

		expect(told).toEqual(['early']);
		late.stop();
	});

	it('share a timer, which keeps no process running and is used again', () => {
		const timers = jest.spyOn(AbortSignal, 'timeout');
		const before = process.getActiveResourcesInfo();
		const deadlines = new Deadlines();

		for (let round = 0; round < 3; round++) {
			const begun = [1, 2].map(() => deadlines.begin(60_000, () => {}));
			for (const stop of begun) stop();
		}

		expect(timers).toHaveBeenCalledTimes(1);
		expect(process.getActiveResourcesInfo()).toEqual(before);
		timers.mockRestore();
	});

	it('can be begun when the timer of those before has gone off', async () => {
		const deadlines = new Deadlines();
		const told: string[] = [];
		for (const name of ['first', 'second']) await begin(deadlines, told, name, 5).over;
		expect(told).toEqual(['first', 'second']);
	});
});
