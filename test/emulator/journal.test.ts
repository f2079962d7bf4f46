import { Journal, type ReceivedRequest } from '../../emulator/journal';

let journal: Journal;

beforeEach(() => {
	journal = new Journal();
});

function receive(receivedAt: number, account?: string, status = 200): void {
	journal.begin({ receivedAt, status, ...(account && { account }) } as ReceivedRequest);
}

it('the busiest minute begins anywhere, ends before a minute is over, and is that of an account or of all', () => {
	for (const time of [0, 40_000, 59_999, 60_000, 70_000, 99_999, 100_000]) receive(time, 'olga');
	for (const time of [100_001, 100_002, 160_000]) receive(time, 'nils', 429);
	receive(160_001);

	expect(journal.busiestMinute('olga')).toBe(5);
	expect(journal.busiestMinute('nils')).toBe(3);
	expect(journal.busiestMinute('nobody')).toBe(0);
	expect(journal.busiestMinute()).toBe(7);
});

it('the journal says how many requests of an account arrived, and how many were refused, until it is cleared', () => {
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
