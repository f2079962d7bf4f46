/** Turns of the event loop before time moves: a request on loopback takes several for each of its steps. */
const TURNS = 40;

/** Resources that stay open while nothing is in flight. */
const IDLE_RESOURCES = ['PipeWrap', 'ProcessWrap', 'TCPServerWrap', 'TTYWrap', 'Timeout'];

const isIdle = () =>
	process.getActiveResourcesInfo().every((kind) => IDLE_RESOURCES.includes(kind));

const BEGINNING = Date.parse('2026-03-02T07:15:00Z');

/** Some tests meet several refusals of a quarter of an hour each. */
const MAX_MS = 4 * 3600 * 1000;

export type FakeTime = ReturnType<typeof useFakeTime>;

/**
 * Fakes the time of package, engine and emulator in the tests of a block. It begins at the same moment each time, stands
 * still while requests are in flight, and then moves to the next timer. Random numbers are 0.5, since the pauses between
 * tries vary by chance, and longer ones leave time for fewer tries.
 */
export function useFakeTime() {
	let test = new AbortController();
	beforeEach(() => {
		test = new AbortController();
		jest.useFakeTimers({
			now: BEGINNING,
			doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'],
		});
		jest.spyOn(Math, 'random').mockReturnValue(0.5);
		// Jest does not fake it.
		jest.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
			const controller = new AbortController();
			setTimeout(() => controller.abort(), milliseconds);
			return controller.signal;
		});
	});
	afterEach(() => {
		test.abort();
		jest.restoreAllMocks();
		jest.useRealTimers();
	});

	/**
	 * Advances time until a promise settles.
	 *
	 * @throws Error if it never does, or once the test is over: one that has timed out must not move the time of the next.
	 */
	const settle = async <T>(work: Promise<T>): Promise<T> => {
		const { signal } = test;
		let isDone = false;
		const done = () => (isDone = true);
		work.then(done, done);
		let idle = 0;
		const deadline = Date.now() + MAX_MS;
		while (idle < 1000 && Date.now() < deadline) {
			for (let turn = 0; turn < TURNS; turn++) {
				await new Promise((resolve) => setImmediate(resolve));
				if (signal.aborted) throw new Error('The test is over');
				if (isDone) return await work;
				if (isIdle()) break;
			}
			idle = jest.getTimerCount() === 0 ? idle + 1 : 0;
			jest.advanceTimersToNextTimer();
		}
		throw new Error('The promise does not settle');
	};
	const advance = async (milliseconds: number) =>
		await settle(new Promise<void>((resolve) => setTimeout(resolve, milliseconds)));
	return { settle, advance };
}
