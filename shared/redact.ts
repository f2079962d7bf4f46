/** Takes the secrets out of a text. */
export type Redact = (text: string) => string;

/**
 * Builds the function that replaces every occurrence of a secret, also as JSON or a URL would spell it. Services
 * and proxies are known to repeat what they were sent in the answers by which they refuse it.
 */
export function redactor(secrets: readonly unknown[]): Redact {
	const spellings = secrets
		.filter((secret) => typeof secret === 'string' && secret !== '')
		.flatMap((secret) => {
			const text = (secret as string).toWellFormed();
			return [text, JSON.stringify(text).slice(1, -1), encodeURIComponent(text)];
		})
		.sort((a, b) => b.length - a.length);
	return (text) =>
		spellings.reduce((redacted, secret) => redacted.replaceAll(secret, '*****'), text);
}
