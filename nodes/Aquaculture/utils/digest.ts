import { createHash } from 'node:crypto';

/** Returns a digest that identifies values without keeping them. */
export function digest(values: readonly unknown[]): string {
	return createHash('sha256').update(JSON.stringify(values)).digest('base64');
}
