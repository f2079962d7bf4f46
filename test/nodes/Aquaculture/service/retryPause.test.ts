import { retryPauseMs } from '../../../../nodes/Aquaculture/service/retryPause';

it.each<{ tries: number; pause: number; random?: number; askedMs?: number }>([
	...[2000, 5000, 10_000, 20_000].map((pause, index) => ({ tries: index + 1, pause })),
	{ tries: 1, random: 0, pause: 1600 },
	{ tries: 4, random: 1, pause: 24_000 },
	{ tries: 1, askedMs: 7000, pause: 7000 },
	{ tries: 1, askedMs: 200, pause: 2000 },
])(
	'retryPauseMs backs off with jitter, and follows Retry-After: %j',
	({ tries, askedMs, random = 0.5, pause }) => {
		jest.spyOn(Math, 'random').mockReturnValue(random);

		expect(retryPauseMs(tries, askedMs)).toBe(pause);
	},
);
