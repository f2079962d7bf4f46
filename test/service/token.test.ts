import { readToken } from '../../service/tokenAnswer';

it.each([
	{ access_token: 'abc', expires_in: '3600', token_type: 'Bearer' },
	{ access_token: 'eyJ.eyJ.sig-_~+/==' },
	{ access_token: 'abc', token_type: null, expires_in: 3600, more: true },
])('a token is read from %j', (body) => {
	expect(readToken(body)).toEqual(body);
});

it.each([
	...[undefined, null, 'abc', [], {}],
	...['', 7, 'two words', 'line\nbreak', 'ørret', '={{ $env }}'].map((token) => ({
		access_token: token,
	})),
])('no token is found in %j', (body) => {
	expect(readToken(body)).toBeUndefined();
});
