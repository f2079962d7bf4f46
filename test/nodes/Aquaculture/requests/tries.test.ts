import { Tries, type RetryLimits } from '../../../../nodes/Aquaculture/requests/tries';

const LIMITS: RetryLimits = { maxTries: 3, timeoutMs: 2000, maxTimeMs: 30_000 };

// The first pause is 200 milliseconds then, and the second one 400.
beforeEach(() => jest.spyOn(Math, 'random').mockReturnValue(0.4));
afterEach(() => jest.restoreAllMocks());

/** The time of each try, where each takes as long as is given and is followed by a pause. */
function tries(limits: Partial<RetryLimits>, ...tookMs: number[]): number[] {
	const all = new Tries({ ...LIMITS, ...limits });
	const times = [all.begin()];
	for (const milliseconds of tookMs) {
		all.spend(milliseconds);
		const pauseMs = all.pauseMs();
		if (pauseMs === undefined) break;
		all.spend(pauseMs);
		times.push(all.begin());
	}
	return times;
}

it.each<[string, Partial<RetryLimits>, number[], number[]]>([
	['are as many as allowed', {}, [2000, 2000, 2000], [2000, 2000, 2000]],
	['are one where one is allowed', { maxTries: 1 }, [5], [2000]],
	['begin with a whole one', { maxTimeMs: 1 }, [0], [2000, 1800]],
	['share the time of all', { maxTimeMs: 3500 }, [1300], [2000, 2000]],
	['are cut short by the time of all', { maxTimeMs: 3500 }, [2000], [2000, 1300]],
	['do not begin with less than a second left', { maxTimeMs: 3200 }, [2000], [2000]],
	['nor with less than their timeout', { timeoutMs: 300, maxTimeMs: 800 }, [300], [300]],
	['begin with the timeout left', { timeoutMs: 300, maxTimeMs: 801 }, [300], [300, 300]],
])('the tries of a document %s', (_what, limits, tookMs, expected) => {
	expect(tries(limits, ...tookMs)).toEqual(expected);
});

it('the tries of a document wait for as long as the service asks, where there is time for it', () => {
	const all = new Tries({ ...LIMITS, maxTimeMs: 10_000 });
	all.begin();

	expect(all.longestPauseMs).toBe(9000);
	expect([8999, 9000].map((asked) => all.pauseMs(asked))).toEqual([8999, undefined]);
});
