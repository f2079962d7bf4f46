import { parseToken, readToken } from '../../../../nodes/Aquaculture/service/token';

describe('token parsing', () => {
	it.each([
		{ access_token: 'abc', expires_in: '3600', token_type: 'Bearer' },
		{ access_token: 'eyJ.eyJ.sig-_~+/==' },
		{ access_token: 'x'.repeat(16 * 1024) },
		{ access_token: 'abc', token_type: null, expires_in: 3600, more: true },
	])('reads a token from %j', (body) => {
		expect(parseToken(body)).toEqual(body);
	});

	it.each([
		...[undefined, null, 'abc', [], {}],
		...['x'.repeat(16 * 1024 + 1), '', 7, 'two words', 'line\nbreak', 'ørret', '={{ $env }}'].map(
			(token) => ({ access_token: token }),
		),
	])('finds no token in %j', (body) => {
		expect(parseToken(body)).toBeUndefined();
	});

	it('repeats why the service sent none', () => {
		const body = { text: '', json: { message: 'Disabled', traceId: '7' } };

		expect(readToken(body, { password: '' })).toMatchObject({
			failure: {
				message: 'The answer to the login contains no usable token',
				...{ serviceMessage: 'Disabled', traceId: '7' },
			},
		});
	});

	it.each<[unknown, number]>([
		['1800', 1790],
		['1800.5', 1790.5],
		[1800, 1790],
		['20', 18],
		['5', 4.5],
		...['7200', '4.9', '-1', '', 'soon', 'Infinity', undefined, null, {}].map(
			(expiresIn): [unknown, number] => [expiresIn, 3590],
		),
	])('a token with expires_in %j is used for %j seconds', (expires_in, seconds) => {
		const now = 1_767_225_600_000;
		jest.spyOn(Date, 'now').mockReturnValue(now);

		const json = { access_token: 'abc', expires_in };
		const { value } = readToken({ text: '', json }, { password: '' });

		expect(((value?.replaceAt ?? NaN) - now) / 1000).toBe(seconds);
	});
});
