import { heapPerHour, textsWithSecrets } from '../../scripts/soak/checks';

it('the soak names the texts that contain a secret, and never the secret', () => {
	const texts = { answers: 'nothing', log: '{"a":"x-s3cret"}' };

	expect(textsWithSecrets(texts, ['other', 's3cret'])).toEqual(['log']);
});

it.each([0, 20, -60])(
	'the soak measures how the heap grows in the second half of its samples, without single peaks: %d MB an hour',
	(perHour) => {
		const heapAt = (index: number, peaks: number) =>
			(index < 60 ? index * 5 : 300 + ((index - 60) * perHour) / 240) + (index % 9 ? 0 : peaks);
		const samples = (peaks: number) =>
			Array.from({ length: 120 }, (_, index) => ({
				at: index * 15_000,
				heapMB: heapAt(index, peaks),
			}));

		expect(heapPerHour(samples(0))).toBeCloseTo(perHour);
		expect(heapPerHour(samples(400))).toBeCloseTo(perHour);
		expect(() => heapPerHour([])).toThrow('was not sampled');
	},
);
