/** What is remembered by name: no more than so many, those that were used last. */
export class LastUsed<T> {
	private readonly kept = new Map<string, T>();

	/** @param mayForget whether nothing would be lost with a value; others are kept however many there are. */
	constructor(
		private readonly max: number,
		private readonly make: (name: string) => T,
		private readonly mayForget: (value: T) => boolean = () => true,
	) {}

	/** What is remembered by this name, which is made if there is nothing. */
	get(name: string): T {
		const value = this.kept.get(name) ?? this.make(name);
		// The one that was used last comes last.
		this.kept.delete(name);
		this.kept.set(name, value);
		if (this.kept.size > this.max) this.forgetOneBefore(name);
		return value;
	}

	private forgetOneBefore(newest: string): void {
		for (const [name, value] of this.kept) {
			if (name === newest || !this.mayForget(value)) continue;
			this.kept.delete(name);
			return;
		}
	}
}
