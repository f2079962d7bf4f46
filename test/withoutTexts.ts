/** What is shown to people alone, and may be worded anew at any time. */
const TEXTS = ['displayName', 'description', 'placeholder', 'hint', 'action'];

/** A description without its texts: what n8n and stored workflows depend on. */
export function withoutTexts(description: unknown): unknown {
	if (Array.isArray(description)) return description.map(withoutTexts);
	if (typeof description !== 'object' || description === null) return description;
	return Object.fromEntries(
		Object.entries(description)
			.filter(([name]) => !TEXTS.includes(name))
			.map(([name, value]) => [name, withoutTexts(value)]),
	);
}
