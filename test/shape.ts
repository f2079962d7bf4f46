/** Columns in order, each with the types of its values. */
export type Shape = string | Shape[] | { [column: string]: Shape };

/**
 * Merges the types of values.
 *
 * @throws Error if objects differ in their fields or the order of these.
 */
export function inferShape(values: readonly unknown[]): Shape {
	const present = values.filter((value) => value !== null);
	const types = new Set(present.map((value) => (Array.isArray(value) ? 'list' : typeof value)));
	if (types.has('list')) return [inferShape(present.flat())];
	if (!types.has('object')) {
		return [...[...types].toSorted(), ...(present.length < values.length ? ['null'] : [])].join(
			' | ',
		);
	}
	const [columns, ...others] = new Set(present.map((value) => Object.keys(value as object).join()));
	if (others.length > 0)
		throw new Error(`Not all have the same columns: ${columns}, ${others.join()}`);
	return Object.fromEntries(
		(columns ?? '').split(',').map((column) => {
			if (column === 'headers') return [column, 'object'];
			return [
				column,
				inferShape(present.map((value) => (value as Record<string, unknown>)[column])),
			];
		}),
	);
}
