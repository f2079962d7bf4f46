/** A cache with a limit, which evicts what was used least recently. */
export class LruCache<T> {
	private readonly kept = new Map<string, T>();

	/** @param mayEvict whether a value may be evicted; others are kept even above the limit. */
	constructor(
		private readonly max: number,
		private readonly make: (name: string) => T,
		private readonly mayEvict: (value: T) => boolean = () => true,
	) {}

	/** The value of this name, made at its first use. */
	get(name: string): T {
		const value = this.kept.get(name) ?? this.make(name);
		// A Map keeps the order of insertion: the least recently used comes first.
		this.kept.delete(name);
		this.kept.set(name, value);
		if (this.kept.size > this.max) this.evictOneBefore(name);
		return value;
	}

	private evictOneBefore(newest: string): void {
		for (const [name, value] of this.kept) {
			if (name === newest || !this.mayEvict(value)) continue;
			this.kept.delete(name);
			return;
		}
	}
}
