import { Journal, type ReceivedRequest } from '../../emulator/journal';

let journal: Journal;

beforeEach(() => {
	journal = new Journal();
});

function receive(receivedAt: number, account?: string, status = 200): void {
	journal.begin({ receivedAt, status, ...(account && { account }) } as ReceivedRequest);
}

describe('the busiest minute', () => {
	it('is 0 where nothing has arrived', () => {
		expect(journal.busiestMinute()).toBe(0);
	});

	it('begins anywhere, and does not hold what arrives a minute later', () => {
		for (const time of [0, 40_000, 59_999, 60_000, 70_000, 99_999, 100_000]) receive(time);

		expect(journal.busiestMinute()).toBe(5);
	});

	it('may be another time, and that of an account', () => {
		for (const time of [0, 10, 20]) receive(time, 'olga');
		for (const time of [20, 25, 29, 30]) receive(time, 'nils', 429);
		receive(31);

		expect(journal.busiestMinute()).toBe(8);
		expect(journal.busiestMinute('olga')).toBe(3);
		expect(journal.busiestMinute('olga', 20)).toBe(2);
		expect(journal.busiestMinute('nils', 10)).toBe(3);
		expect(journal.busiestMinute('nobody')).toBe(0);
	});

	it('is that of a simple count', () => {
		const times = Array.from({ length: 300 }, () => Math.random() * 600_000).sort((a, b) => a - b);
		for (const time of times) receive(time);
		const counts = times.map(
			(from) => times.filter((time) => time >= from && time - from < 60_000).length,
		);

		expect(journal.busiestMinute()).toBe(Math.max(...counts));
	});

	it('is found among many requests at once', () => {
		for (let index = 0; index < 200_000; index++) receive(index);

		expect(journal.busiestMinute()).toBe(60_000);
	});
});

it('tells how many requests of an account arrived, and how many were refused, until it is cleared', () => {
	receive(0, 'olga');
	receive(1, 'olga', 429);
	receive(2, 'nils', 429);
	receive(3);
	journal.bans.push('nils');

	expect(journal.refusals).toBe(2);
	expect([journal.requestsOf('olga'), journal.refusalsOf('olga')]).toEqual([2, 1]);
	expect([journal.requestsOf('nils'), journal.refusalsOf('nils')]).toEqual([1, 1]);

	journal.clear();
	expect([journal.refusals, journal.requestsOf('olga'), journal.bans]).toEqual([0, 0, []]);
});
