import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'shell-quote';
import manifest from '../../package.json';
import { startScript } from '../../testbed/command';
import tools from '../../tools/package.json';
import { COMMUNITY_PAGES, PAGES, ROOT } from './pages';

/** One command of a line, as a shell reads it. */
interface Command {
	env: Record<string, string>;
	/** The program and what it is given. */
	words: string[];
	place: string;
}

/** The programs behind the scripts that take options, each with a parser that names what it does not know. */
const PROGRAMS: Record<string, string> = {
	start: 'scripts/start.ts',
	emulator: 'scripts/emulator.ts',
	bench: 'scripts/bench.ts',
	simulate: 'scripts/simulate.ts',
};

const commands = [...PAGES, ...COMMUNITY_PAGES].flatMap(({ file, blocks, codes }) => [
	...blocks
		.filter(({ language }) => language === 'sh')
		.flatMap(({ text, place }) => text.split('\n').flatMap((line) => commandsOf(line, place))),
	...codes
		.filter((code) => /^(?:npm|npx|git) /.test(code))
		.flatMap((code) => commandsOf(code, file)),
]);

function commandsOf(line: string, place: string): Command[] {
	const entries: Command[] = [{ env: {}, words: [], place }];
	for (const part of parse(line)) {
		const command = entries.at(-1) as Command;
		if (typeof part === 'string') {
			const [, name = '', value = ''] = /^([A-Z][A-Z0-9_]*)=(.*)$/.exec(part) ?? [];
			if (name !== '' && command.words.length === 0) command.env[name] = value;
			else command.words.push(part);
		} else if ('op' in part && part.op === '&&') {
			entries.push({ env: {}, words: [], place });
		} else if (!('comment' in part)) {
			throw new Error(`${place}: "${line}" holds what this test cannot read`);
		}
	}
	return entries.filter(({ words }) => words.length > 0);
}

const sources = ['emulator', 'scripts', 'testbed'].flatMap((folder) =>
	readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
		.filter((file) => file.endsWith('.ts'))
		.map((file) => readFileSync(path.join(ROOT, folder, file), 'utf8')),
);

/** Commands whose work is that of git, npm or n8n's tools: how they may be used for this package. */
const OTHER_COMMANDS = [
	/^npm (audit signatures|ci|pack|stage publish|version (patch|minor|major)( --no-git-tag-version)?)$/,
	// As the tests in n8n install it.
	new RegExp(`^npm install --(legacy-peer-deps|ignore-scripts)( ${manifest.name})?$`),
	new RegExp(`^npm view ${manifest.name}@${manifest.version} dist\\.integrity$`),
	new RegExp(`^npx (${Object.keys(tools.devDependencies).join('|')}) ${manifest.name}$`),
	/^git commit --all --message Version \d+\.\d+\.\d+$/,
	/^git tag v\d+\.\d+\.\d+$/,
	/^git push origin HEAD v\d+\.\d+\.\d+$/,
];

/** Why a command of the documentation cannot be right; undefined if it is. */
async function faultOf({ env, words }: Command): Promise<string | undefined> {
	const unread = Object.keys(env).find(
		(name) => !sources.some((text) => text.includes(`env.${name}`)),
	);
	if (unread !== undefined) return `nothing reads the environment variable ${unread}`;
	if (OTHER_COMMANDS.some((command) => command.test(words.join(' ')))) return undefined;

	const [program, verb = '', ...rest] = words;
	if (program === 'npx' && verb === 'jest') return faultOfTests(rest);
	if (program !== 'npm') return 'no test knows this command: add it to commands.test.ts';
	const [script = '', ...given] = verb === 'run' ? rest : [verb, ...rest];
	if (!Object.hasOwn(manifest.scripts, script)) return `package.json has no script "${script}"`;
	const [separator = '--', ...options] = given;
	if (separator !== '--') return 'options of a script follow after --';
	if (options.length === 0) return undefined;
	if (['demo', 'first-contact'].includes(script)) {
		return options.length === 1 ? undefined : `${script} takes one site ID`;
	}
	if (script === 'test:n8n') {
		const file = `test/n8n/${options[0]}.test.ts`;
		return existsSync(path.join(ROOT, file)) ? undefined : `there is no ${file}`;
	}
	const file = PROGRAMS[script];
	return file ? await faultOfOptions(file, options) : `${script} takes no options`;
}

/** @param words files or folders of tests, and `--watch`. */
function faultOfTests(words: string[]): string | undefined {
	const missing = words.find((word) => word !== '--watch' && !existsSync(path.join(ROOT, word)));
	return missing && `there is no ${missing}`;
}

/** Has the program itself read the options: with one more that it cannot know, it must complain of that one alone. */
async function faultOfOptions(file: string, options: string[]): Promise<string | undefined> {
	const unknown = '--no-such-option';
	const { stderr } = await startScript(file, [...options, unknown]);
	return stderr.includes(`'${unknown}'`)
		? undefined
		: `${file} refuses ${options.join(' ')}: ${stderr}`;
}

describe('the commands of the documentation', () => {
	it('are found', () => {
		expect(commands.length).toBeGreaterThan(20);
	});

	const lineOf = ({ env, words }: Command) =>
		[...Object.entries(env).map((variable) => variable.join('=')), ...words].join(' ');
	const lines = new Map(commands.map((command) => [lineOf(command), command]));

	it.each([...lines])(
		'%s',
		async (_line, command) => {
			const fault = await faultOf(command);
			expect(fault && `${command.place}: ${fault}`).toBeUndefined();
		},
		60_000,
	);
});
