const TEXTS = ['displayName', 'description', 'placeholder', 'hint', 'action'];

/** Omits texts, whose wording may change, and keeps what n8n and stored workflows depend on. */
export function omitTexts(description: unknown): unknown {
	if (Array.isArray(description)) return description.map(omitTexts);
	if (typeof description !== 'object' || description === null) return description;
	return Object.fromEntries(
		Object.entries(description)
			.filter(([name]) => !TEXTS.includes(name))
			.map(([name, value]) => [name, omitTexts(value)]),
	);
}
