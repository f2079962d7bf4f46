import { withProgress } from '../../testbed/progress';

beforeEach(() => jest.useFakeTimers());
afterEach(() => {
	jest.restoreAllMocks();
	jest.useRealTimers();
});

it('says what it is doing every 20 seconds until it has ended or is interrupted', async () => {
	const printed = jest.spyOn(console, 'error').mockReturnValue();
	const interruption = new AbortController();
	const work = new Promise((resolve) => setTimeout(resolve, 65_000, 'done'));
	const results = [withProgress('One', work), withProgress('Two', work, interruption.signal)];
	await jest.advanceTimersByTimeAsync(30_000);
	interruption.abort();
	await jest.advanceTimersByTimeAsync(90_000);

	await expect(Promise.all(results)).resolves.toEqual(['done', 'done']);
	expect(printed.mock.calls.flat()).toEqual([
		...['• One', '• Two', '• One (20 s so far)', '• Two (20 s so far)'],
		...['• One (40 s so far)', '• One (60 s so far)'],
	]);
});
