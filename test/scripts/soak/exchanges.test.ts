import { createSigner } from 'fast-jwt';
import { explainExchanges, type Rejection } from '../../../scripts/soak/exchanges';
import type { Login } from '../../../scripts/soak/logins';

const START = 1_767_225_600_000;
const sign = createSigner({ key: 'k' });
const jwt = (seconds: number) => sign({ iat: START / 1000, exp: START / 1000 + seconds });

const issued = (seconds: number, token: string, password = 'p'): Login => ({
	at: START + seconds * 1000,
	password,
	token,
});
const failed = (seconds: number, pauseMs: number, isPassing = false): Login => ({
	at: START + seconds * 1000,
	password: 'p',
	failure: { message: 'x', isPassing, pauseMs },
});
const explain = (logins: Login[], rejections: Rejection[] = []) => {
	const { causes, unexplained } = explainExchanges(logins, rejections);
	return [
		...Object.entries(causes).flatMap(([cause, count]) => (count > 0 ? [[cause, count]] : [])),
		...unexplained.map(({ at }) => ['unexplained', (at - START) / 1000]),
	];
};

describe('a token request', () => {
	it('is due once for each account', () => {
		expect(explain([issued(0, 'a'), issued(1, 'b', 'q')])).toEqual([['no token', 2]]);
		expect(explain([issued(0, 'a'), issued(1, 'b')])).toEqual([
			['no token', 1],
			['unexplained', 1],
		]);
	});

	it('is due when the token says that it has ended', () => {
		expect(explain([issued(0, jwt(60)), issued(54, 'b')])).toEqual([
			['no token', 1],
			['ended', 1],
		]);
		expect(explain([issued(0, jwt(60)), issued(53, 'b')])).toContainEqual(['unexplained', 53]);
	});

	it('is due when the very token has been rejected before', () => {
		const rejection = { token: 'a', at: START + 2000 };

		expect(explain([issued(0, 'a'), issued(3, 'b')], [rejection])).toContainEqual(['rejected', 1]);
		expect(explain([issued(0, 'a'), issued(1, 'b')], [rejection])).toContainEqual([
			'unexplained',
			1,
		]);
		expect(explain([issued(0, 'a'), issued(3, 'b'), issued(4, 'c')], [rejection])).toContainEqual([
			'unexplained',
			4,
		]);
	});

	it('is due again while a failure passes, four times in all', () => {
		const tries = [0, 1, 2, 3].map((at) => failed(at, 5000, true));

		expect(explain([...tries.slice(0, 3), issued(3, 'a')])).toEqual([
			['no token', 1],
			['again', 3],
		]);
		expect(explain([...tries, issued(4, 'a')])).toContainEqual(['unexplained', 4]);
		expect(explain([...tries, issued(8, 'a')])).toContainEqual(['after a failure', 1]);
	});

	it('is not due until a refusal has been remembered for its time', () => {
		expect(explain([failed(0, 30_000), issued(29, 'a')])).toContainEqual(['unexplained', 29]);
		expect(explain([failed(0, 30_000), issued(30, 'a')])).toContainEqual(['after a failure', 1]);
	});
});

it('the most tokens within half a minute are those of one account', () => {
	const logins = [0, 10, 29, 30, 31].map((at) => issued(at, `a${at}`));
	const others = [0, 1, 2].map((at) => issued(at, `b${at}`, 'q'));

	expect(explainExchanges([...logins, ...others], []).mostInHalfAMinute).toBe(4);
});
