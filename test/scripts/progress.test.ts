import { withProgress } from '../../testbed/progress';

beforeEach(() => jest.useFakeTimers());
afterEach(() => {
	jest.restoreAllMocks();
	jest.useRealTimers();
});

it('says what it is doing at least every half minute while it lasts', async () => {
	const printed = jest.spyOn(console, 'error').mockReturnValue();
	const linesWithin = async (milliseconds: number) => {
		printed.mockClear();
		await jest.advanceTimersByTimeAsync(milliseconds);
		return printed.mock.calls.flat();
	};

	const work = new Promise((resolve) => setTimeout(resolve, 95_000, 'done'));
	const result = withProgress('Downloading n8n', work);
	expect(printed.mock.calls).toEqual([['• Downloading n8n']]);
	await expect(linesWithin(30_000)).resolves.toEqual(['• Downloading n8n (20 s so far)']);
	await expect(linesWithin(30_000)).resolves.toHaveLength(2);
	await expect(linesWithin(30_000)).resolves.toHaveLength(1);

	await expect(linesWithin(60_000)).resolves.toEqual([]);
	await expect(result).resolves.toBe('done');
});

it('says nothing more after an interruption', async () => {
	const printed = jest.spyOn(console, 'error').mockReturnValue();
	const interruption = new AbortController();
	const work = new Promise((resolve) => setTimeout(resolve, 95_000, 'done'));

	const result = withProgress('Downloading n8n', work, interruption.signal);
	interruption.abort();

	await jest.advanceTimersByTimeAsync(95_000);
	await expect(result).resolves.toBe('done');
	expect(printed.mock.calls).toEqual([['• Downloading n8n']]);
});
