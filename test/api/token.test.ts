import { readToken } from '../../api/token';

describe('readToken', () => {
	it.each([
		{ access_token: 'abc', expires_in: '3600', token_type: 'Bearer' },
		{ access_token: 'eyJ.eyJ.sig-_~+/==' },
		{ access_token: 'abc', token_type: 'bearer' },
		{ access_token: 'abc', token_type: null, expires_in: 3600, more: true },
	])('reads %j', (body) => {
		expect(readToken(body)).toEqual(body);
	});

	it.each([
		undefined,
		null,
		'abc',
		[],
		{},
		{ access_token: '' },
		{ access_token: 7 },
		{ access_token: 'two words' },
		{ access_token: 'line\nbreak' },
		{ access_token: 'ørret' },
		{ access_token: '={{ $env }}' },
	])('finds no token in %j', (body) => {
		expect(readToken(body)).toBeUndefined();
	});
});
