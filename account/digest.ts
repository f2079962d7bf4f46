import { createHash } from 'node:crypto';

/** A digest by which values are compared without being kept. */
export function digest(values: readonly unknown[]): string {
	return createHash('sha256').update(JSON.stringify(values)).digest('base64');
}
