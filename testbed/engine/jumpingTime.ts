/**
 * How often Node.js looks for what has arrived before time jumps: a request on loopback needs a few turns for each step of
 * its way, however busy the machine is.
 */
const TURNS = 40;

/** What a process that waits for nothing but timers may hold open. */
const AT_REST = ['PipeWrap', 'ProcessWrap', 'TCPServerWrap', 'TTYWrap', 'Timeout'];

/** Whether nothing can arrive: no connection is open, and no other thread works. */
const isAtRest = () => process.getActiveResourcesInfo().every((kind) => AT_REST.includes(kind));

/** Longer than anything takes here: some refusals wait for a quarter of an hour each. */
const LONGEST_MS = 4 * 3600 * 1000;

export type Jumps = ReturnType<typeof jumpingTime>;

/**
 * Has time jump in the tests of a block, for the package, the engine and the emulator alike: it stands still while
 * requests are under way and then jumps to the next timer. This is the clock of all tests. Only what is simulated for hours
 * without n8n has another one (`VirtualClock`).
 */
export function jumpingTime() {
	beforeEach(() => {
		jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
		// Jest has no fake of it.
		jest.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
			const controller = new AbortController();
			setTimeout(() => controller.abort(), milliseconds);
			return controller.signal;
		});
	});
	afterEach(() => {
		jest.restoreAllMocks();
		jest.useRealTimers();
	});

	/** Lets time jump until a work is done; throws if it never is. */
	const until = async <T>(work: Promise<T>): Promise<T> => {
		let isDone = false;
		const done = () => (isDone = true);
		work.then(done, done);
		let idle = 0;
		const endsAt = Date.now() + LONGEST_MS;
		while (idle < 1000 && Date.now() < endsAt) {
			for (let turn = 0; turn < TURNS; turn++) {
				await new Promise((resolve) => setImmediate(resolve));
				if (isDone) return await work;
				if (isAtRest()) break;
			}
			idle = jest.getTimerCount() === 0 ? idle + 1 : 0;
			jest.advanceTimersToNextTimer();
		}
		throw new Error('It does not end');
	};
	const wait = async (milliseconds: number) =>
		await until(new Promise<void>((resolve) => setTimeout(resolve, milliseconds)));
	return { until, wait };
}
