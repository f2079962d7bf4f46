import { Deadlines } from '../../../../nodes/Aquaculture/transport/deadlines';

describe('Deadlines', () => {
	const begin = (deadlines: Deadlines, told: string[], name: string, milliseconds: number) => {
		const deadline = deadlines.begin(milliseconds);
		const over = deadline.over.then(() => told.push(name));
		return { ...deadline, over };
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

	it('can be ended early, alone', async () => {
		const deadlines = new Deadlines();
		const told: string[] = [];
		const early = begin(deadlines, told, 'early', 60_000);
		const late = begin(deadlines, told, 'late', 30);

		early.end();
		await early.over;
		expect(told).toEqual(['early']);
		await late.over;
		expect(told).toEqual(['early', 'late']);
	});

	it('are not over with one that was begun with them', async () => {
		const deadlines = new Deadlines();
		const told: string[] = [];
		const late = begin(deadlines, told, 'late', 60_000);
		const early = begin(deadlines, told, 'early', 10);

		await early.over;
		await new Promise((resolve) => setImmediate(resolve));
		expect(told).toEqual(['early']);

		late.end();
		await late.over;
	});

	it('share a timer, which keeps no process running and is used again', async () => {
		const timers = jest.spyOn(AbortSignal, 'timeout');
		const before = process.getActiveResourcesInfo();
		const deadlines = new Deadlines();

		for (let round = 0; round < 3; round++) {
			const begun = [deadlines.begin(60_000), deadlines.begin(60_000)];
			for (const { end } of begun) end();
			await Promise.all(begun.map(async ({ over }) => await over));
		}

		expect(timers).toHaveBeenCalledTimes(1);
		expect(process.getActiveResourcesInfo()).toEqual(before);
		timers.mockRestore();
	});

	it('can be begun when the timer of those before has gone off', async () => {
		const deadlines = new Deadlines();
		for (const name of ['first', 'second']) {
			const told: string[] = [];
			await begin(deadlines, told, name, 5).over;
			expect(told).toEqual([name]);
		}
	});
});
