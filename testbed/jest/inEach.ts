/**
 * Runs a test in several worlds at the same time, such as one of each version of n8n: most of its time it waits.
 *
 * @throws Error that names the world in which it failed first, once the test has ended in all of them.
 */
export async function inEach<World extends { name: string }>(
	worlds: readonly World[],
	test: (world: World) => Promise<void>,
): Promise<void> {
	const results = await Promise.allSettled(worlds.map(test));
	for (const [index, result] of results.entries()) {
		if (result.status === 'fulfilled') continue;
		const error = result.reason as Error;
		throw new Error(`In ${worlds[index]?.name}: ${error.message}`, { cause: error });
	}
}
