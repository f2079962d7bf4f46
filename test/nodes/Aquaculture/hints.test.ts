import { hintsOf, type Summary } from '../../../nodes/Aquaculture/hints';

const CHECK = "If that is wrong, check 'Base URL' in the credential";
const NUMBER = { obstacles: new Set(['number'] as const) };
const OTHERS = { obstacles: new Set(['number', 'others'] as const) };
const REFUSAL = { obstacles: new Set(['number', 'others', 'refusal'] as const) };

const NOTHING: Summary = {
	kind: { one: 'unit', many: 'units' },
	documents: 400,
	missing: [],
	failed: 0,
	absent: [],
	empty: undefined,
	readForEachOf: undefined,
	readOnceFor: undefined,
	total: undefined,
	isUnlikeOffered: false,
	repeatedRequests: 0,
	refusedRequests: 0,
	waitedMs: 0,
	obstacles: new Set(),
	tookMs: 600,
	requestsPerMinute: 100,
};

it.each<[Partial<Summary>, string[]]>([
	[{}, []],
	[
		{ missing: Array<string>(12).fill('7') },
		['12 of 400 units do not exist and were left out: 7, 7, 7, 7, 7, 7, 7, 7, 7, 7 and 2 more'],
	],
	[{ missing: ['7 (Pen A)'] }, ['1 of 400 units does not exist and was left out: 7 (Pen A)']],
	[{ missing: ['7'], documents: 1 }, [`The unit does not exist and was left out. ${CHECK}`]],
	[{ missing: Array<string>(400).fill('7') }, [`None of the 400 units exists. ${CHECK}`]],
	[
		{ readOnceFor: 300 },
		[
			"Read once, not for each of 300 input items: 'All Sites' takes all settings from the first one",
		],
	],
	[{ total: 400 }, []],
	[{ total: 1200 }, ["Read 400 of 1200 sites: to read the others too, turn on 'Return All'"]],
	[{ repeatedRequests: 1 }, ['1 request failed for a moment and was sent again']],
	[{ repeatedRequests: 7 }, ['7 requests failed for a moment and were sent again']],
	[{ waitedMs: 999, tookMs: 4000 }, []],
	[
		{ ...OTHERS, waitedMs: 122_000, tookMs: 122_400, requestsPerMinute: 1 },
		['The account may send 1 request a minute, so 400 units took 2 minutes'],
	],
	[
		{ ...NUMBER, waitedMs: 1000, tookMs: 4000, documents: 100 },
		['The account may send 100 requests a minute, so 100 units took 4 seconds'],
	],
	// Only for an answer.
	[{ waitedMs: 5000, tookMs: 9000 }, []],
	[
		{ ...OTHERS, waitedMs: 1000, tookMs: 4000, documents: 101 },
		['The account may send 100 requests a minute, so 101 units took 4 seconds'],
	],
	[
		{ ...OTHERS, waitedMs: 1000, tookMs: 4000, documents: 100 },
		[
			'Other runs used the account too, which may send 100 requests a minute, so 100 units took 4 seconds',
		],
	],
	[
		{ ...OTHERS, waitedMs: 1000, tookMs: 4000, documents: 1, requestsPerMinute: 1 },
		[
			'Other runs used the account too, which may send 1 request a minute, so 1 unit took 4 seconds',
		],
	],
	[
		{ ...REFUSAL, waitedMs: 60_000, tookMs: 61_000 },
		[
			'The service had refused other requests of this account because there were too many, so 400 units took 61 seconds',
		],
	],
	[{ ...REFUSAL, waitedMs: 999 }, []],
	[
		{ ...REFUSAL, waitedMs: 60_000, tookMs: 61_000, refusedRequests: 1 },
		['The service refused 1 request because there were too many, so 400 units took 61 seconds'],
	],
	[
		{ ...REFUSAL, waitedMs: 60_000, tookMs: 61_000, refusedRequests: 3, documents: 1 },
		['The service refused 3 requests because there were too many, so 1 unit took 61 seconds'],
	],
	[{ ...REFUSAL, waitedMs: 900, refusedRequests: 1 }, []],
	[
		{ readForEachOf: 3 },
		[
			"Read for each of 3 input items, which all ask for the same. To read it once, turn on 'Execute Once' in the settings of the node",
		],
	],
	[{ failed: 2 }, ["2 of 400 units could not be read: see the field 'error'"]],
	[{ failed: 1, documents: 1 }, ["The unit could not be read: see the field 'error'"]],
	[
		{
			absent: [
				['sensors', 2],
				['info', 400],
			],
		},
		[
			'The service sent no sensors for 2 of 400 units',
			'The service sent no info for 400 of 400 units',
		],
	],
	[{ absent: [['sensors', 1]], documents: 1 }, ['The service sent no sensors for the unit']],
	[{ empty: { names: ['7', '8'], items: 'fish' } }, ['2 of 400 units have no fish: 7, 8']],
	[{ empty: { names: ['7'], items: 'fish' } }, ['1 of 400 units has no fish: 7']],
	[{ empty: { names: ['7'], items: 'fish' }, documents: 1 }, ['The unit has no fish']],
])('what the output panel says of %j', (summary, messages) => {
	const hints = hintsOf({ ...NOTHING, ...summary });

	expect(hints.map(({ message }) => message)).toEqual(messages);
	for (const { location, type } of hints) {
		expect([location, type]).toEqual([
			'outputPane',
			(summary.missing ?? summary.failed ?? summary.absent) ? 'warning' : 'info',
		]);
	}
});
