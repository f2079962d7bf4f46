import { callOf, markOf } from '../../../scripts/soak/marks';
import { planSoak } from '../../../scripts/soak/plan';
import { findSecrets } from '../../../scripts/soak/secrets';

describe('the plan of a soak', () => {
	const plan = planSoak(7, 600, 5);

	it('is the same for the same seed, and another one for another seed', () => {
		expect(planSoak(7, 600, 5)).toEqual(plan);
		expect(planSoak(8, 600, 5)).not.toEqual(plan);
	});

	it('holds as many calls as are to be made, and every kind of disturbance, in their order', () => {
		const { calls, disturbances } = plan;
		const moments = disturbances.map(({ at }) => at);

		expect(calls).toHaveLength(3000);
		expect(new Set(disturbances.map(({ what }) => what.kind))).toEqual(
			new Set(['fault', 'revocation', 'tokens', 'passwordChange', 'wrongPassword', 'siteChange']),
		);
		expect(moments).toEqual([...moments].sort((one, other) => one - other));
		expect(moments.at(-1)).toBeLessThan(590_000);
	});

	it('holds no refusal, which would stop the account for a minute', () => {
		expect(JSON.stringify(plan).includes('"status":429')).toBe(false);
	});

	it('leaves time between edits of the account', () => {
		const edits = plan.disturbances
			.filter(({ what }) => /assword/.test(what.kind))
			.map(({ at }) => at);
		const gaps = edits.slice(1).map((at, index) => at - (edits[index] ?? 0));

		expect(Math.min(...gaps)).toBeGreaterThan(20_000);
	});
});

it('a call is told by its mark, and nothing else is taken for one', () => {
	expect([0, 1, 9000].map((call) => callOf(markOf(call)))).toEqual([0, 1, 9000]);
	expect(markOf(59)).toBe('2100-03-01');
	expect([callOf('2023-01-01'), callOf(undefined)]).toEqual([undefined, undefined]);
});

it('a secret is found wherever it stands, and not repeated', () => {
	const texts = [
		{ name: 'one', text: 'nothing' },
		{ name: 'two', text: '{"a":"x-s3cret"}' },
	];

	expect(findSecrets(texts, ['other', 's3cret'])).toEqual(['two holds a secret']);
});
