import { processClock } from '../../../../shared/clock';

/** How many milliseconds the budgets' minute takes in a test that calls {@link hasten}. */
export const SHORT_MINUTE_MS = 1200;

/** Lets the clock of all budgets run faster, until mocks are restored: with it, a budget's minute is a moment. */
export function hasten(): void {
	const factor = 60_000 / SHORT_MINUTE_MS;
	const beganAt = performance.now();
	const { sleep } = processClock;
	jest
		.spyOn(processClock, 'now')
		.mockImplementation(() => beganAt + (performance.now() - beganAt) * factor);
	jest
		.spyOn(processClock, 'sleep')
		.mockImplementation(async (milliseconds) => await sleep(milliseconds / factor));
}
