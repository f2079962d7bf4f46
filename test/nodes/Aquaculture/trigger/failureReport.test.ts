import {
	pollError,
	reportOf,
	testEventError,
	type PollFailure,
	type PollFindings,
} from '../../../../nodes/Aquaculture/trigger/failureReport';
import { NOTHING_REPORTED, type Subject } from '../../../../nodes/Aquaculture/trigger/memory';
import { nodeOf } from '../nodeOf';

const NODE = nodeOf('n8n-nodes-aquaculture.aquacultureTrigger');
const MINUTE = 60_000;
const START = Date.parse('2026-03-02T07:00:00Z');

const failed = (siteId: number, statusCode = 404): PollFailure => {
	const failure = { message: `No site ${siteId}`, description: 'Check it.', statusCode };
	return { subject: siteId, failure };
};
const failing = (...siteIds: number[]) => siteIds.map((siteId) => failed(siteId));
let messages = 0;
/** A failure of several sites, whose message is another one each time. */
const shared = (subject: Subject, ...[cause]: string[]): PollFailure => {
	const failure = { message: `Failed with ${(messages += 1)}`, description: 'Do this.' };
	return { subject, failure: cause === undefined ? failure : { ...failure, cause } };
};

/** What came of a poll of these sites; those without a failure were read, unless several have failed alike. */
const resultOf = (
	failures: PollFailure[],
	siteIds: number[] = [1001, 1002, 1003, 1004],
): PollFindings => {
	const subjects = new Set(failures.map(({ subject }) => subject));
	const hasShared = [...subjects].some((subject) => typeof subject === 'string');
	const read = hasShared ? [] : siteIds.filter((siteId) => !subjects.has(siteId));
	return { failures, siteIds, seen: new Map(read.map((siteId) => [siteId, {}])) };
};

/** Polls one after the other, and gives what each of them reports. */
function pollAll(results: readonly PollFindings[], everyMs = MINUTE) {
	let reported = NOTHING_REPORTED;
	return results.map((result, index) => {
		const report = reportOf(result, reported, START + index * everyMs);
		({ reported } = report);
		return report;
	});
}

it('a failure that goes on is reported at once and then about once an hour', () => {
	const polls = pollAll(Array.from({ length: 151 }, () => resultOf(failing(1001))));

	const minutes = polls.flatMap(({ isNews }, minute) => (isNews ? [minute] : []));
	expect(minutes).toEqual([0, 59, 118]);
});

it.each<[string, PollFailure[][], boolean[]]>([
	[
		'of another site is reported at once, and not again when it comes and goes',
		[[1001], [1001, 1002], [1002], [], [1001, 1002], [1003]].map((ids) => failing(...ids)),
		[true, true, false, false, false, true],
	],
	[
		'with another cause is reported at once, and not again when it has the first one again',
		[500, 500, 404, 500, 404, 403].map((status) => [failed(1001, status)]),
		[true, false, true, false, false, true],
	],
	[
		'of all sites is known by its cause, whatever its message says',
		['503', '503', '401', '401'].map((cause) => [shared('login', cause)]),
		[true, false, true, false],
	],
	[
		'without a cause is known by its subject',
		[[shared('time')], [shared('time')], [shared('budget')]],
		[true, false, true],
	],
])('a failure %s', (_name, failures, expected) => {
	const polls = pollAll(failures.map((some) => resultOf(some)));

	expect(polls.map(({ isNews }) => isNews)).toEqual(expected);
});

it('a failure is forgotten an hour after it is over', () => {
	const polls = pollAll(
		[failing(1001), [], []].map((some) => resultOf(some)),
		58 * MINUTE,
	);

	expect(polls.map(({ reported }) => Object.keys(reported.reported).length)).toEqual([1, 1, 0]);
});

it('a failure is reported again when the clock has been put back', () => {
	const polls = pollAll([resultOf(failing(1001)), resultOf(failing(1001))], -60 * MINUTE);

	expect(polls.map(({ isNews }) => isNews)).toEqual([true, true]);
});

it('a failure takes no more memory, however long it goes on and however often its cause is another one', () => {
	const polls = pollAll(
		Array.from({ length: 600 }, (_, index) => resultOf([failed(1001, 400 + (index % 200))])),
	);

	expect(
		Math.max(...polls.map(({ reported }) => Object.keys(reported.reported).length)),
	).toBeLessThanOrEqual(60);
});

describe('a recovery', () => {
	const failed1001 = resultOf(failing(1001));
	const over = resultOf([]);
	/** A poll that has asked for no site. */
	const silent: PollFindings = { ...over, seen: new Map() };
	const unwatched = resultOf([], [1002]);
	const unusable: PollFindings = { failures: [shared('settings', '')], seen: new Map() };

	it.each<[string, PollFindings[], everyMinutes: number, Subject[][]]>([
		[
			'is reported once, when a site whose failure was reported is read again',
			[
				resultOf([failed(1001), failed(1002, 500)]),
				resultOf([failed(1001, 500), failed(1002)]),
				resultOf(failing(1002)),
				...[over, over],
			],
			1,
			[[], [], [1001], [1002], []],
		],
		[
			'is not reported of a failure within the hour that was not reported',
			[failed1001, over, failed1001, over],
			1,
			[[], [1001], [], []],
		],
		[
			'of what sites have in common is reported once a site is read without it',
			[
				resultOf([shared('login', '401')]),
				{ ...resultOf(failing(1001, 1002, 1003)), seen: new Map() },
				...[failed1001, over],
			],
			1,
			[[], [], ['login', 1002, 1003], [1001]],
		],
		[
			'is reported however long the site was not asked for',
			[failed1001, silent, silent, over],
			50,
			[[], [], [], [1001]],
		],
		[
			'is not reported of a site that was not watched in between',
			[failed1001, unwatched, unwatched, over],
			50,
			[[], [], [], []],
		],
		[
			'is not reported, and nothing is forgotten, where the settings cannot be used',
			[failed1001, unusable, unusable, over],
			50,
			[[], [], [], [1001, 'settings']],
		],
	])('a recovery %s', (_name, results, everyMinutes, expected) => {
		const polls = pollAll(results, everyMinutes * MINUTE);

		expect(polls.map(({ recovered }) => recovered)).toEqual(expected);
	});
});

describe('the error of several failures', () => {
	const sites = Array.from({ length: 14 }, (_, index) => failed(1001 + index));

	const late: PollFailure = { subject: 1, failure: { message: 'Too late', description: 'Wait.' } };

	it('the error of several failures says each thing once, and of which sites', () => {
		expect(pollError(NODE, [...sites, late, shared('login')])).toMatchObject({
			message: expect.stringMatching(/^Failed with/) as unknown,
			description: expect.stringMatching(
				/^Do this\. No site 1001\. The same goes for sites 1002, .*, 1011 and 3 more\. Too late\. The trigger/,
			) as unknown,
		});
		expect(pollError(NODE, [failed(1001), failed(1002)])).toMatchObject({
			message: '2 sites could not be read',
			description: expect.stringMatching(
				/^No site 1001\. The same goes for site 1002\. Check it\. The trigger/,
			) as unknown,
		});
	});

	it('the error of several failures names each site in a test event', () => {
		const { description } = testEventError(NODE, sites);

		for (const { subject } of sites) expect(description).toContain(String(subject));
	});
});
