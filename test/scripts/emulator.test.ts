import { startScript } from '../../testbed/command';
import { freePort } from '../../testbed/wait';

/** What `npm run emulator` prints with these options; if it starts, it is ended then. */
async function emulator(...options: string[]): Promise<string> {
	const port = String(await freePort());
	const child = startScript('scripts/emulator.ts', ['--port', port, ...options]);
	let out = '';
	for await (const line of child) {
		out += `${line}\n`;
		if (line.includes('Ctrl-C')) child.kill('SIGINT');
	}
	return out;
}

it.each([
	[
		[],
		/answers at \S+:\d+\n *Username .+\n *Password .+\n *Sites +1001, .+\n *Limit +100 requests a minute for each account\n\nTo change a site: curl -X PATCH http:\/\/127\.0\.0\.1:\d+\/sites\/1001 -d '.+'\n/,
	],
	[['--requests-per-minute', '0'], /\n *Limit +none\n/],
	[['--lifetime', '0'], /^✗ --lifetime must be a whole number from 1 to 31536000\n/],
])('npm run emulator answers to %j', async (options, told) => {
	await expect(emulator(...options)).resolves.toMatch(told);
});
