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
		/answers at \S+:\d+\n *Username .+\n *Password .+\n *Sites +1001, .+\n *Limit +100 requests a minute for each account\n *Site list +none\n\nTo change a site: curl -X PATCH http:\/\/127\.0\.0\.1:\d+\/sites\/1001 -d '.+'\n/,
	],
	[
		['--requests-per-minute', '0', '--site-list', '/list'],
		/\n *Limit +none\n *Site list +\/list\n/,
	],
	[['--site-list', 'list'], /^✗ --site-list must be a path such as \/list\n/],
	[
		['--requests-per-minute', '30', '--ban-after', '5', '--retry-after', '9'],
		/\n *Limit +30 requests a minute for each account, which is banned after 5 refusals\n/,
	],
	[['--requests-per-minute', '-1'], /'--requests-per-minute/],
	[['--retry-after', 'soon'], /^✗ --retry-after must be auto, off or a number of seconds\n/],
	[['--retry-after', '86401'], /^✗ --retry-after must be a whole number from 0 to 86400\n/],
	[['--ban-after', '0'], /^✗ --ban-after must be a whole number from 1 to 1000000\n/],
])(
	'npm run emulator answers to %j',
	async (options, told) => {
		await expect(emulator(...options)).resolves.toMatch(told);
	},
	60_000,
);
