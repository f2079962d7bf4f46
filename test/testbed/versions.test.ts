import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readVersions } from '../../testbed/n8n/versions';
import { tested } from '../../testbed/n8n/testedVersions.json';
import { Page, PAGES, ROOT } from '../docs/pages';

/** With or without the last number. */
const N8N_VERSION = /\b[1-9]\.\d{2,}\.\d+\b|(?<=n8n )[1-9]\.\d{2,}\b/g;
const DAY = /\b20\d\d-\d\d-\d\d\b/;

it('N8N_VERSIONS may contain spaces', () => {
	expect(readVersions(' 1.2.3, 2.4.6\n')).toEqual(['1.2.3', '2.4.6']);
});

it.each(['', 'latest', '2.40', '2.4.6,', '2.4.6-beta.1', '1.2.3 2.4.6'])(
	'N8N_VERSIONS="%s" is refused',
	(text) => expect(() => readVersions(text)).toThrow(/^N8N_VERSIONS must name versions such as /),
);

it('CI tests the versions of testedVersions.json', () => {
	const workflow = readFileSync(path.join(ROOT, '.github/workflows/ci.yml'), 'utf8');

	expect(workflow).toContain('jq --compact-output .tested testbed/n8n/testedVersions.json');
	expect(workflow).not.toMatch(N8N_VERSION);
});

it('the README names exactly the tested versions of n8n', () => {
	const { text } = new Page('README.md');

	expect(new Set(text.match(N8N_VERSION))).toEqual(new Set(tested));
});

it.each(PAGES)(
	'$file names only tested versions of n8n, except in dated measurements',
	({ text }) => {
		const lines = text.split('\n').filter((line) => !DAY.test(line));
		const named = lines.flatMap((line) => line.match(N8N_VERSION) ?? []);
		const begun = tested.map((version) => version.replace(/\.\d+$/, ''));

		expect([...tested, ...begun]).toEqual(expect.arrayContaining(named));
	},
);
