import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'shell-quote';
import manifest from '../../package.json';
import { MAIN_VERSION } from '../../testbed/n8n/versions';
import { MESSAGES, SENTENCES } from '../../texts/messages';
import { PAGES, ROOT } from './pages';

const page = PAGES.find(({ file }) => file === 'docs/administrators.md');
const blocksOf = (language: string) => page?.blocks.filter((block) => block.language === language);

it('the Dockerfile installs the tarball of this version as the tests of n8n do', () => {
	const [{ text = '' } = {}] = blocksOf('dockerfile') ?? [];
	const [, install = ''] = /npm install (.*)$/m.exec(text) ?? [];
	const [tarball, ...flags] = install.split(' ').reverse();
	const home = readFileSync(path.join(ROOT, 'testbed/n8n/home.ts'), 'utf8');

	expect(text).toMatch(new RegExp(`^FROM n8nio/n8n:${MAIN_VERSION}$`, 'm'));
	expect(text).toContain('/.n8n/nodes ');
	expect(tarball).toBe(`/tmp/${manifest.name}-${manifest.version}.tgz`);
	expect(flags.filter((flag) => !home.includes(`'${flag}'`))).toEqual([]);
	expect(home).toContain(/echo ('.*')/.exec(text)?.[1]);
});

it('the environment variable names this package and this version', () => {
	const [variable = ''] = (blocksOf('sh') ?? [])
		.flatMap(({ text }) => parse(text).map(String))
		.filter((word) => word.startsWith('N8N_COMMUNITY_PACKAGES='));

	expect(JSON.parse(variable.slice(variable.indexOf('=') + 1))).toEqual([
		{ name: manifest.name, version: manifest.version },
	]);
});

it("the page names what to look for in n8n's log as it is written there", () => {
	const limit = { requestsPerMinute: 100, cause: 'stopped' } as const;
	const [refused] = SENTENCES.limit(limit).split(',');
	const sessionEnded = MESSAGES.status.sessionEnded('site 1001').message.split(',')[0];
	const account = { username: 'staff', password: 'secret' };
	const written = [MESSAGES.login.refused(account).message, sessionEnded, refused];

	const { text = '' } = page ?? {};
	expect(written.filter((phrase) => phrase === undefined || !text.includes(phrase))).toEqual([]);
	expect(text).toContain(MESSAGES.log.readAgain(['login']));
});

it('the page names the same places to report as the issue forms and the security policy', () => {
	const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
	const policy = 'SECURITY.md';

	expect(page?.targets.filter((target) => target.endsWith(policy))).not.toEqual([]);
	expect(read('README.md')).toContain(`.github/${policy}`);
	expect(read('.github/ISSUE_TEMPLATE/config.yml')).toContain('/security/policy');
	for (const file of ['README.md', '.github/ISSUE_TEMPLATE/config.yml', 'docs/administrators.md']) {
		expect(read(file)).toMatch(/operator/i);
	}
});
