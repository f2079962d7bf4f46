/** How many times faster than the real ones the clocks go. */
const FACTOR = 40;
const STEP_MS = 5;

/**
 * Lets time go faster in each test of a block, for the package, the engine and the emulator alike: timers, dates and
 * `performance.now()`. What Node.js itself does, such as sending a request, takes its time.
 */
export function fastTime(): void {
	const { setInterval, clearInterval } = globalThis;
	let moving: NodeJS.Timeout;

	beforeEach(() => {
		jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
		moving = setInterval(() => jest.advanceTimersByTime(STEP_MS * FACTOR), STEP_MS);
	});
	afterEach(() => {
		clearInterval(moving);
		jest.useRealTimers();
	});
}
