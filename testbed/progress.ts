/** Prints progress on standard error, beside the results. */
export function say(line: string): void {
	console.error(`• ${line}`);
}
