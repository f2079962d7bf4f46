import {
	describeRecoveries,
	noticeOf,
	type PollFailure,
	type Report,
} from '../../../../nodes/Aquaculture/trigger/failures';
import type { ToldFailure } from '../../../../nodes/Aquaculture/trigger/memory';
import { nodeOf } from '../nodeOf';

const NODE = nodeOf('n8n-nodes-aquaculture.aquacultureTrigger');
const MINUTE = 60_000;
const START = Date.parse('2026-03-02T07:00:00Z');
/** Failures by the site's ID, and the status where it is not 404. */
const failing = (...sites: string[]): PollFailure[] =>
	sites.map((site) => {
		const [subject = '', status = '404'] = site.split(' ');
		return {
			subject,
			isShared: false,
			failure: {
				message: `The service does not know site ${subject}`,
				description: `Check ${subject}.`,
				statusCode: Number(status),
				body: { about: subject },
			},
		};
	});
const shared = (subject: string, cause: string): PollFailure => ({
	subject,
	isShared: true,
	failure: { message: `Failed with ${Math.random()}`, description: 'Do this.', cause },
});

/** What came of a poll of these sites; those without a failure were read, unless all have failed alike. */
const reportOf = (failures: PollFailure[], siteIds = [1001, 1002, 1003, 1004]): Report => {
	const failed = new Set(failures.map(({ subject }) => subject));
	const read = failures.some(({ isShared }) => isShared)
		? []
		: siteIds.filter((siteId) => !failed.has(`${siteId}`));
	return { failures, siteIds, sightings: new Map(read.map((siteId) => [siteId, {}])) };
};

/** Polls one after the other, and gives what each of them tells. */
function pollAll(reports: readonly Report[], everyMs = MINUTE) {
	let told: readonly ToldFailure[] = [];
	return reports.map((report, index) => {
		const notice = noticeOf(NODE, report, told, START + index * everyMs);
		({ told } = notice);
		return { isTold: notice.error !== undefined, recovered: notice.recovered, told };
	});
}
const tellings = (reports: readonly Report[]) => pollAll(reports).map(({ isTold }) => isTold);

describe('a failure that goes on', () => {
	it('is told of at once and then about once an hour', () => {
		const polls = pollAll(Array.from({ length: 151 }, () => reportOf(failing('1001'))));

		expect(polls.flatMap(({ isTold }, minute) => (isTold ? [minute] : []))).toEqual([0, 59, 118]);
	});

	it('is told of at once when another site fails too, and not anew when it comes and goes', () => {
		const polls = [['1001'], ['1001', '1002'], ['1002'], [], ['1001', '1002'], ['1003']];

		expect(tellings(polls.map((sites) => reportOf(failing(...sites))))).toEqual([
			...[true, true, false, false, false, true],
		]);
	});

	it('is told of at once when it has another cause, and not anew when it has the first one again', () => {
		const polls = ['1001 500', '1001 500', '1001 404', '1001 500', '1001 404', '1001 403'];

		expect(tellings(polls.map((site) => reportOf(failing(site))))).toEqual([
			...[true, false, true, false, false, true],
		]);
		const logins = ['503', '503', '401', '401'].map((cause) =>
			reportOf([shared('account', cause)]),
		);
		expect(tellings(logins)).toEqual([true, false, true, false]);
	});

	it('is recognised whatever its message says of times and counts', () => {
		const late = (count: number): PollFailure => ({
			subject: 'time',
			isShared: true,
			failure: { message: `${count} sites could not be read`, description: '' },
		});

		expect(tellings([1, 2, 3].map((count) => reportOf([late(count)])))).toEqual([
			...[true, false, false],
		]);
	});

	it('is forgotten an hour after it is over', () => {
		const [, over] = pollAll([reportOf(failing('1001')), reportOf([])]);

		expect(over?.told).toHaveLength(1);
		expect(noticeOf(NODE, reportOf([]), over?.told ?? [], START + 120 * MINUTE)).toEqual({
			error: undefined,
			recovered: [],
			told: [],
		});
	});

	it('is told of when the clock has been put back', () => {
		const { told } = noticeOf(NODE, reportOf(failing('1001')), [], START + 24 * 60 * MINUTE);

		expect(noticeOf(NODE, reportOf(failing('1001')), told, START).error).toBeDefined();
	});

	it('takes no more memory, however long it goes on and however often its cause is another one', () => {
		const polls = pollAll(
			Array.from({ length: 600 }, (_, index) => reportOf(failing(`1001 ${400 + (index % 200)}`))),
		);

		expect(Math.max(...polls.map(({ told }) => told.length))).toBeLessThanOrEqual(60);
	});

	it('is told of with the first of many sites, its status and its body', () => {
		const { error } = noticeOf(NODE, reportOf(failing(...'12345678')), [], START);

		expect(error?.message).toBe('8 sites could not be read');
		expect(error?.description).toMatch(
			/^The service does not know site 1\. Check 1\. The service does not know site 2\. .* site 6\. And 2 more\. The trigger tries again/,
		);
		expect(error).toMatchObject({ httpCode: '404', context: { data: { about: '1' } } });
	});

	it('is told of by what several sites have in common, and with the sites that failed by themselves', () => {
		const refused: PollFailure = {
			subject: 'account',
			isShared: true,
			failure: { message: 'The service refused it', description: 'Do this.' },
		};
		const { error } = noticeOf(NODE, reportOf([refused, ...failing('1', '2')]), [], START);

		expect(error?.message).toBe('The service refused it');
		expect(error?.description).toMatch(
			/^Do this\. The service does not know site 1\. The service does not know site 2\. The trigger tries again/,
		);
	});

	it('of one site is told of as it is', () => {
		const { error } = noticeOf(NODE, reportOf(failing('1')), [], START);

		expect(error?.message).toBe('The service does not know site 1');
		expect(error?.description).toBe(
			'Check 1. The trigger tries again at its next poll, and compares with what it remembers. As long as it goes on, you get this message once an hour.',
		);
	});

	it('is told of with all of a few sites', () => {
		const { error } = noticeOf(NODE, reportOf(failing('1', '2')), [], START);

		expect(error?.description).toMatch(
			/^The service does not know site 1\. Check 1\. The service does not know site 2\. The trigger tries/,
		);
	});
});

describe('a recovery', () => {
	const recoveries = (reports: readonly Report[], everyMs?: number) =>
		pollAll(reports, everyMs).map(({ recovered }) => recovered);

	it('is told once, when a site whose failure was told is read again', () => {
		const polls = [['1001', '1002 500'], ['1001 500', '1002'], ['1002'], [], []];

		expect(recoveries(polls.map((sites) => reportOf(failing(...sites))))).toEqual([
			...[[], [], ['1001'], ['1002'], []],
		]);
	});

	it('is not told of a site that failed again within the hour, of which nothing was told', () => {
		const polls = [['1001'], [], ['1001'], []].map((sites) => reportOf(failing(...sites)));

		expect(recoveries(polls)).toEqual([[], ['1001'], [], []]);
	});

	it('is told of what sites have in common once a site is read without it', () => {
		const polls = [
			reportOf([shared('account', '401')]),
			{ ...reportOf(failing('1001', '1002', '1003')), sightings: new Map() },
			reportOf(failing('1001')),
			reportOf([]),
		];

		expect(recoveries(polls)).toEqual([[], [], ['account', '1002', '1003'], ['1001']]);
	});

	it('is told however long the site was not asked for, as long as it is watched', () => {
		const silent = { ...reportOf([]), sightings: new Map() };
		const failed = reportOf(failing('1001'));

		expect(recoveries([failed, silent, silent, reportOf([])], 50 * MINUTE)).toEqual([
			...[[], [], [], ['1001']],
		]);
		const unwatched = reportOf([], [1002]);
		expect(recoveries([failed, unwatched, unwatched, reportOf([])], 50 * MINUTE)).toEqual([
			...[[], [], [], []],
		]);
	});

	it('is not told, and nothing is forgotten, where the settings cannot be used', () => {
		const unusable = { failures: [shared('settings', '')], sightings: new Map() };

		expect(
			recoveries([reportOf(failing('1001')), unusable, unusable, reportOf([])], 50 * MINUTE),
		).toEqual([[], [], [], ['1001', 'settings']]);
	});

	it('is told in plain words', () => {
		expect(describeRecoveries(['account', 'settings', 'time', '1001'])).toBe(
			'The login works again. The settings can be used again. There is enough time for all sites again. Site 1001 can be read again.',
		);
		expect(describeRecoveries([...'1234567'])).toMatch(/Site 5 can be read again\. And 2 more\.$/);
	});
});
