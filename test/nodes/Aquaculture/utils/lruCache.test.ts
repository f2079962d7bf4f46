import { LruCache } from '../../../../nodes/Aquaculture/utils/lruCache';

it('LruCache creates values on first use, and evicts the least recently used', () => {
	let made = 0;
	const cache = new LruCache(2, () => (made += 1));
	expect(['a', 'b', 'b', 'a'].map((key) => cache.get(key))).toEqual([1, 2, 2, 1]);

	expect(cache.get('c')).toBe(3);

	expect([cache.get('a'), cache.get('c'), cache.get('b')]).toEqual([1, 3, 4]);
});
