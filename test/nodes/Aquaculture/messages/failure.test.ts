import { failureLines, identifyFailure } from '../../../../nodes/Aquaculture/messages/failure';

it.each([
	['with a status by its status', { message: '', description: '', statusCode: 404 }, '404'],
	[
		'with a key by its key, even if it has a status',
		{ message: '', description: '', failureKey: 'html', statusCode: 200 },
		'html',
	],
	['with neither by nothing', { message: 'Something', description: '' }, ''],
])('identifies a failure %s', (_what, failure, key) => {
	expect(identifyFailure(failure)).toBe(key);
});

it.each<[count: number, last: string]>([
	[10, 'Failure 10.'],
	[11, 'And 1 more.'],
])('of %d failures, the last line is "%s"', (count, last) => {
	const failures = Array.from({ length: count }, (_, index) => ({
		message: `Failure ${index + 1}`,
	}));

	expect(failureLines(failures)).toHaveLength(count);
	expect(failureLines(failures).at(-1)).toBe(last);
});
