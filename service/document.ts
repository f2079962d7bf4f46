import type { Checked } from '../texts/checked';
import type { Kind } from '../texts/messages';

/** A document of the service. */
export interface ServiceDocument<T> {
	/** Its path under the base URL. */
	path: string;
	/** The fields that identify it, its key first and then a name if it has one: `{ siteId: 1001 }`. */
	id: Readonly<Record<string, string | number | null>>;
	/** What it is about, as part of a sentence: "site 1001". */
	subject: string;
	/** What such documents are called in a sentence. */
	kind: Kind;
	/** Those of its fields that are sent only because the path asks for them. */
	parts?: readonly string[];
	/** Checks a parsed response body; a fault is the end of the sentence "The answer for site 1001 cannot be used: …". */
	check(body: unknown): Checked<T>;
}

/** The parts of a document that were asked for and not sent. A part that is null or empty was sent. */
export function absentParts(
	{ parts = [] }: Pick<ServiceDocument<unknown>, 'parts'>,
	body: object,
): string[] {
	return parts.filter((part) => !Object.hasOwn(body, part));
}

/** What a document is called in a list: its key, and its name if there is one: "Storvågen (1001)". */
export function labelOf(id: ServiceDocument<unknown>['id']): string {
	const [key, name] = Object.values(id);
	return name ? `${name} (${key})` : String(key);
}
