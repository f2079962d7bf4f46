import { createSigner } from 'fast-jwt';
import { TokenHistory, type TokenUse } from '../../../scripts/soak/exchanges';
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
const used = (seconds: number, token: string, isAccepted: boolean, document = '/1'): TokenUse => ({
	at: START + seconds * 1000,
	token,
	document,
	isAccepted,
});
const explain = (logins: Login[], uses: TokenUse[] = []) => {
	const inOrder = [...uses].sort((one, other) => one.at - other.at);
	const { causes, unexplained } = new TokenHistory(logins, inOrder).explain();
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
		const rejection = used(2, 'a', false);

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

	it('is due no more for a document that is rejected again, unless no other has accepted the token', () => {
		const logins = [issued(0, 'a'), issued(3, 'b'), issued(6, 'c')];
		const uses = [used(1, 'a', true), used(2, 'a', false), used(5, 'b', false)];
		const accepted = used(4, 'b', true, '/2');

		expect(explain(logins, uses)).toContainEqual(['rejected', 2]);
		expect(explain(logins, [...uses, accepted])).toContainEqual(['unexplained', 6]);
		expect(explain(logins, [...uses, accepted, used(4, 'b', true)])).toContainEqual([
			'rejected',
			2,
		]);
	});

	it('is due because a token was rejected four times in half a minute', () => {
		const logins = [0, 5, 10, 15, 20].map((at) => issued(at, `a${at}`));
		const rejections = logins.map(({ token = '' }, index) =>
			used(index * 5 + 1, token, false, `/${index}`),
		);

		expect(explain(logins, rejections)).toContainEqual(['unexplained', 20]);
		expect(explain([...logins.slice(0, 4), issued(30, 'b')], rejections)).toContainEqual([
			'rejected',
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

describe('a rejection', () => {
	const mayStand = (logins: Login[], ...uses: TokenUse[]) =>
		new TokenHistory(logins, uses).mayStand(uses.at(-1) as TokenUse);

	it('stands where the document was rejected with another token of the account, and not read since', () => {
		const logins = [issued(0, 'a'), issued(2, 'b')];
		const [first, second] = [used(1, 'a', false), used(3, 'b', false)];

		expect(mayStand(logins, first)).toBe(false);
		expect(mayStand(logins, first, second)).toBe(true);
		expect(mayStand(logins, first, used(2, 'b', true), second)).toBe(false);
		expect(mayStand(logins, used(1, 'a', false, '/2'), second)).toBe(false);
		expect(mayStand([issued(0, 'a'), issued(2, 'b', 'q')], first, second)).toBe(false);
	});

	it('stands where four tokens were issued within half a minute', () => {
		const logins = [0, 5, 10, 15].map((at) => issued(at, `a${at}`));

		expect(mayStand(logins, used(20, 'a15', false))).toBe(true);
		expect(mayStand(logins, used(40, 'a15', false))).toBe(false);
	});
});
