import { LastUsed } from '../../shared/lastUsed';

describe('what is remembered by name', () => {
	it('is the same each time', () => {
		const kept = new LastUsed(2, () => ({}));

		expect(kept.get('one')).toBe(kept.get('one'));
		expect(kept.get('one')).not.toBe(kept.get('other'));
	});

	it('is what was used last', () => {
		const kept = new LastUsed(2, () => ({}));
		const [one, two] = [kept.get('one'), kept.get('two')];
		kept.get('one');
		kept.get('three');

		expect(kept.get('one')).toBe(one);
		expect(kept.get('two')).not.toBe(two);
	});

	it('is more than that where it must not be forgotten', () => {
		const kept = new LastUsed(
			1,
			() => ({ isNeeded: false }),
			({ isNeeded }) => !isNeeded,
		);
		const needed = kept.get('needed');
		needed.isNeeded = true;
		const other = kept.get('other');
		kept.get('third');

		expect(kept.get('needed')).toBe(needed);
		expect(kept.get('other')).not.toBe(other);
	});

	it('holds a new one also where all others must not be forgotten', () => {
		const kept = new LastUsed(
			1,
			() => ({}),
			() => false,
		);
		kept.get('one');

		expect(kept.get('two')).toBe(kept.get('two'));
	});
});
