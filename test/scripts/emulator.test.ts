import { DEMO_ACCOUNT } from '../../emulator/server';
import { startScript } from '../../testbed/command';
import { getFreePort } from '../../testbed/wait';

/** Runs `npm run emulator`, calls back with its base URL, and stops it. */
async function emulator(
	options: string[],
	use: (baseUrl: string) => Promise<unknown> = async () => await Promise.resolve(),
) {
	const port = String(await getFreePort());
	const child = startScript('scripts/emulator.ts', ['--port', port, ...options]);
	let printed = '';
	let result: unknown;
	for await (const line of child) {
		printed += `${line}\n`;
		if (!line.includes('Ctrl-C')) continue;
		result = await use(`http://127.0.0.1:${port}`);
		child.kill('SIGINT');
	}
	return { printed, result, exitCode: child.exitCode };
}

const logIn = async (baseUrl: string) =>
	await fetch(`${baseUrl}/auth/token`, {
		method: 'POST',
		headers: { 'Content-Type': 'application/json', 'Service-Version': '2025-01-01' },
		body: JSON.stringify(DEMO_ACCOUNT),
	});

it.each([
	[
		[],
		/answers at \S+:\d+\n *Username .+\n *Password .+\n *Limit +100 requests a minute for each account\n\nTo change a site: curl .+\n\nFor Known Sites in the credential:\n1001 .+\n/,
	],
	[['--lifetime', '0'], /^✗ --lifetime must be a whole number from 1 to 31536000\n/],
	[
		['--fail', 'often'],
		/^✗ --fail must be a status from 300 to 599, reset, truncated, hang or html\n/,
	],
	[
		['--fail', '503', '--fail-for', 'units'],
		/^✗ --fail-for must be sites, login or the ID of a site\n/,
	],
	[['--help'], /^npm run emulator -- .+\n\n +--port /],
])('npm run emulator with %j prints its settings, usage or error', async (options, expected) => {
	expect((await emulator(options)).printed).toMatch(expected);
});

it('npm run emulator fails as many requests as --fail-times says, and ends with status 0 after Ctrl-C', async () => {
	const fault = ['--fail', '503', '--fail-for', 'login', '--fail-times', '1'];
	const options = [...fault, '--limit', '0', '--sites', '500'];
	const { printed, result, exitCode } = await emulator(options, async (baseUrl) => [
		(await logIn(baseUrl)).status,
		(await logIn(baseUrl)).status,
	]);

	expect(printed).toMatch(/\n *Limit +none\n[^]+(\n\d{4} Lokalitet \d{4}){476}\n/);
	expect([result, exitCode]).toEqual([[503, 200], 0]);
});
