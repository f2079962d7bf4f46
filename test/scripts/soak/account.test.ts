import { faultsOfEdits } from '../../../scripts/soak/account';

describe('an edit that n8n has undone', () => {
	const edit = { from: 10_000, until: 11_000 };

	it.each([
		[8_500, 'token', 0],
		[12_500, 'token', 0],
		[7_000, 'token', 1],
		[14_000, 'token', 1],
		[10_500, undefined, 1],
	])('needs a token that was issued meanwhile: at %d, %s', (at, token, faults) => {
		const login = { at, password: 'p', ...(token !== undefined && { token }) };

		expect(faultsOfEdits([edit], [login])).toHaveLength(faults);
	});
});
