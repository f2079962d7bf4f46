/** A text in which no secret may stand. */
export interface Searched {
	name: string;
	text: string;
}

/** Names the texts in which a secret stands; not the secrets. */
export function findSecrets(texts: readonly Searched[], secrets: readonly string[]): string[] {
	return texts
		.filter(({ text }) => secrets.some((secret) => text.includes(secret)))
		.map(({ name }) => `${name} holds a secret`);
}
