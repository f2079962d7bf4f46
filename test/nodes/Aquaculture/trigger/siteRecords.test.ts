import { SiteRecords } from '../../../../nodes/Aquaculture/trigger/siteRecords';
import type { Failure } from '../../../../nodes/Aquaculture/messages/failure';

const named = (...siteIds: number[]) => siteIds.map((siteId) => ({ siteId, siteName: null }));
const FAILURES = {
	forbidden: { kind: 'forbidden' },
	busy: { isTransient: true },
	refused: { kind: 'loginRefused', stopsAll: true },
	noSlot: { kind: 'noSlot', stopsAll: true },
	cancelled: { kind: 'cancelled', stopsAll: true },
} as const;
type Name = keyof typeof FAILURES;
const failed = (name: Name): Failure => ({ message: name, description: '', ...FAILURES[name] });

let records: SiteRecords;
beforeEach(() => (records = new SiteRecords()));

/** Polls these sites. Those without a result are read. */
const poll = (at: number, siteIds: number[], results: Record<number, Failure> = {}) => {
	records.watch(named(...siteIds), at);
	const order = records.all.map(({ site }) => site.siteId);
	const read = siteIds.filter((siteId) => !results[siteId]);
	const seenAt = new Date(at).toISOString();
	records.recordResults(
		{
			fetched: new Map(read.map((siteId) => [siteId, { siteId, site: {}, seenAt }])),
			failuresOf: new Map(
				siteIds.map((siteId) => [siteId, results[siteId] ? [results[siteId]] : []]),
			),
		},
		at,
	);
	return order;
};
const NOT_SENT = failed('noSlot');
const waitsSince = () =>
	Object.fromEntries(records.all.map(({ site, waitsSince: since }) => [site.siteId, since]));

it('a poll requests new sites first, then those that were requested longest ago', () => {
	expect(poll(1000, [1, 2, 3, 9], { 2: NOT_SENT, 3: NOT_SENT })).toEqual([1, 2, 3, 9]);
	expect(poll(2000, [1, 2, 3, 9], { 1: NOT_SENT, 2: NOT_SENT })).toEqual([2, 3, 1, 9]);
	expect(poll(3000, [1, 2, 3, 9, 8])).toEqual([8, 2, 1, 3, 9]);
});

it('a site waits since it was requested last, added, or put back', () => {
	poll(1000, [1, 2]);
	poll(2000, [1]);
	poll(3000, [1, 2, 3], { 1: NOT_SENT, 2: NOT_SENT, 3: failed('cancelled') });

	expect(waitsSince()).toEqual({ 1: 2000, 2: 3000, 3: 3000 });
});

it('a failure that stops a poll lasts until one requests a site, and sites wait since then', () => {
	const stop = failed('refused');
	poll(1000, [1, 2]);
	poll(2000, [1, 2], { 1: stop, 2: stop });
	expect(waitsSince()).toEqual({ 1: 2000, 2: 2000 });

	poll(3000, [1, 2], { 1: NOT_SENT, 2: NOT_SENT });
	expect(records.stopFailure).toBe(stop);
	poll(4000, [1, 2], { 1: NOT_SENT, 2: failed('busy') });
	expect(records.stopFailure).toBeUndefined();
	expect(waitsSince()).toEqual({ 1: 2000, 2: 4000 });
});

it('the failure of a site lasts until the site is read, also through polls that do not request it', () => {
	const forbidden = failed('forbidden');
	poll(1000, [1, 2]);
	poll(2000, [1, 2], { 2: forbidden });
	const record = () => records.all.find(({ site }) => site.siteId === 2);
	for (const name of ['noSlot', 'cancelled', 'refused'] as const) {
		poll(3000, [1, 2], { 2: failed(name) });
		const lasting = { failures: [forbidden], lastReadAt: new Date(1000) };
		expect({ name, ...record() }).toMatchObject({ name, ...lasting });
		expect([name, records.requestedByLastPoll.map(({ site }) => site.siteId)]).toEqual([name, [1]]);
	}
	poll(4000, [1, 2]);
	expect(record()).toMatchObject({ failures: [], lastReadAt: new Date(4000) });
});

it('a site is unread if it was not read since a time', () => {
	const unread = (since: number) =>
		records.listUnread(new Date(since)).map(({ site }) => site.siteId);
	poll(1000, [1, 2, 3], { 3: NOT_SENT });
	poll(2000, [1, 2, 3], { 2: NOT_SENT, 3: NOT_SENT });

	expect(unread(1000)).toEqual([3]);
	expect(unread(1001)).toEqual([3, 2]);
});
