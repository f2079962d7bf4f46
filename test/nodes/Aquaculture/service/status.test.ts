import { isRetryableStatus, isSuccess } from '../../../../nodes/Aquaculture/service/status';

it('isSuccess accepts statuses from 200 to 299', () => {
	expect([99, 199, 200, 299, 300].filter(isSuccess)).toEqual([200, 299]);
});

it('only 408, 500, 502, 503 and 504 are tried again', () => {
	const all = Array.from({ length: 500 }, (_, index) => index + 100);
	expect(all.filter(isRetryableStatus)).toEqual([408, 500, 502, 503, 504]);
});
