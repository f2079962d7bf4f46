import { Tries, type RetryLimits } from '../../../../nodes/Aquaculture/requests/tries';

const LIMITS: RetryLimits = { maxTries: 3, timeoutMs: 2000, maxTimeMs: 30_000 };

/** As long as the first pause can be at most, so that it is never another one. */
const PAUSE_MS = 500;

/** The time of each try, if each takes as long as is given and is followed by a pause. */
function tries(limits: Partial<RetryLimits>, ...tookMs: number[]): number[] {
	const all = new Tries({ ...LIMITS, ...limits });
	const times = [all.begin()];
	for (const milliseconds of tookMs) {
		all.spend(milliseconds);
		const pauseMs = all.pauseMs(PAUSE_MS);
		if (pauseMs === undefined) break;
		all.spend(pauseMs);
		times.push(all.begin());
	}
	return times;
}

it.each<[string, Partial<RetryLimits>, number[], number[]]>([
	['are as many as allowed', {}, [2000, 2000, 2000], [2000, 2000, 2000]],
	['are one if one is allowed', { maxTries: 1 }, [5], [2000]],
	['begin with a whole one', { maxTimeMs: 1 }, [0], [2000, 1500]],
	['share the time of all', { maxTimeMs: 3800 }, [1300], [2000, 2000]],
	['are cut short by the time of all', { maxTimeMs: 3800 }, [2000], [2000, 1300]],
	['do not begin with less than a second left', { maxTimeMs: 3500 }, [2000], [2000]],
	[
		'do not begin with less than their timeout left',
		{ timeoutMs: 300, maxTimeMs: 1100 },
		[300],
		[300],
	],
	['begin with the timeout left', { timeoutMs: 300, maxTimeMs: 1101 }, [300], [300, 300]],
])('the tries of a document %s', (_what, limits, tookMs, expected) => {
	expect(tries(limits, ...tookMs)).toEqual(expected);
});

it('the tries of a document wait for as long as the service asks, if there is time for it', () => {
	const all = new Tries({ ...LIMITS, maxTimeMs: 10_000 });
	all.begin();

	expect(all.longestPauseMs).toBe(9000);
	expect([8999, 9000].map((asked) => all.pauseMs(asked))).toEqual([8999, undefined]);
});
