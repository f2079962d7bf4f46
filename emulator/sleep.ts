/** Waits by the clock of the test, if it has one; without a wait, it goes on at once. */
export async function sleep(milliseconds: number): Promise<void> {
	if (milliseconds > 0) await new Promise((resolve) => setTimeout(resolve, milliseconds));
}
