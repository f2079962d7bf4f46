import { tokenUrl } from '../../api/tokenEndpoint';

it('the token endpoint stands below the base URL', () => {
	expect(tokenUrl('https://data.example.com/v1')).toBe('https://data.example.com/v1/auth/token');
});
