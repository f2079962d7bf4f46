import { failureLines } from '../../../../nodes/Aquaculture/messages/failure';

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
