/** Quotes a value so that people recognise it, cut to a readable length. */
export function quote(value: unknown): string {
	return truncate(typeof value === 'object' ? JSON.stringify(value) : `"${String(value)}"`);
}

/** Cuts a text to a readable length, but not within a character. */
export function truncate(text: string, maxCharacters = 60): string {
	if (text.length <= maxCharacters) return text;
	return `${text.slice(0, maxCharacters - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Counts something: "1 site", "2 sites". */
export function plural(count: number, one: string): string {
	return `${count} ${one}${count === 1 ? '' : 's'}`;
}

/** Cuts the value at the end of a message about a field, such as "'Site IDs' contains an unknown site: "two"". */
export function withoutQuotedValue(message: string): string {
	return message.split(': ', 1)[0] ?? message;
}
