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
