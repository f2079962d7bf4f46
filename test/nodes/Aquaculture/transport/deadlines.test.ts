import { Deadlines } from '../../../../nodes/Aquaculture/transport/deadlines';

describe('Deadlines', () => {
	const begin = (deadlines: Deadlines, told: string[], name: string, milliseconds: number) => {
		const deadline = deadlines.begin(milliseconds);
		const over = deadline.over.then(() => told.push(name));
		return { ...deadline, over };
	};
	const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

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

	it('leave no timer behind, and can be begun again', async () => {
		const before = timers();
		const deadlines = new Deadlines();
		for (let round = 0; round < 3; round++) {
			const begun = [deadlines.begin(60_000), deadlines.begin(60_000)];
			expect(timers()).toBe(before + 1);
			for (const { end } of begun) end();
			await Promise.all(begun.map(async ({ over }) => await over));
			expect(timers()).toBe(before);
		}
	});
});
