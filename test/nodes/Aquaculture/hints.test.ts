import { hintsOf, type Summary } from '../../../nodes/Aquaculture/hints';

const CHECK = 'If that is wrong, check the Base URL in the credential';
const NOTHING: Summary = {
	sites: 400,
	missing: 0,
	repeatedRequests: 0,
	refusedRequests: 0,
	waitedMs: 0,
	tookMs: 600,
	requestsPerMinute: 100,
};

describe('what the output panel tells', () => {
	it.each<[Partial<Summary>, string[]]>([
		[{}, []],
		[{ missing: 12 }, ['12 of 400 sites do not exist and were left out']],
		[{ missing: 1 }, ['1 of 400 sites does not exist and was left out']],
		[{ missing: 1, sites: 1 }, [`The site does not exist and was left out. ${CHECK}`]],
		[{ missing: 400 }, [`None of the 400 sites exists. ${CHECK}`]],
		[{ repeatedRequests: 1 }, ['1 request had failed for a moment and was sent again']],
		[{ repeatedRequests: 7 }, ['7 requests had failed for a moment and were sent again']],
		[{ waitedMs: 999, tookMs: 4000 }, []],
		[
			{ waitedMs: 1000, tookMs: 4000, sites: 1 },
			['The service takes 100 requests a minute, so 1 site took 4 seconds'],
		],
		[
			{ waitedMs: 122_000, tookMs: 122_400, sites: 250 },
			['The service takes 100 requests a minute, so 250 sites took 2 minutes'],
		],
		[
			{ waitedMs: 122_000, tookMs: 122_400, sites: 3, requestsPerMinute: 1 },
			['The service takes 1 request a minute, so 3 sites took 2 minutes'],
		],
		[
			{ waitedMs: 60_000, tookMs: 61_000, refusedRequests: 1 },
			['The service refused a request because there were too many, so 400 sites took 61 seconds'],
		],
		[
			{ waitedMs: 60_000, tookMs: 61_000, refusedRequests: 3, sites: 1 },
			['The service refused 3 requests because there were too many, so 1 site took 61 seconds'],
		],
		[{ waitedMs: 900, refusedRequests: 1 }, []],
	])('of %j', (summary, messages) => {
		const hints = hintsOf({ ...NOTHING, ...summary });

		expect(hints.map(({ message }) => message)).toEqual(messages);
		for (const { location, type } of hints) {
			expect([location, type]).toEqual(['outputPane', summary.missing ? 'warning' : 'info']);
		}
	});
});
