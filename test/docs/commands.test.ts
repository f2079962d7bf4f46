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

/** How a script of package.json is proven to work: a file that runs it, or its core, by this text. */
const PROOFS: Record<string, [file: string, text: string]> = {
	build: ['package.json', '"test": "npm run build && jest"'],
	start: ['test/n8n/start.test.ts', "'scripts/start.ts'"],
	demo: ['test/scripts/demo.test.ts', "'scripts/demo.ts'"],
	emulator: ['test/scripts/emulator.test.ts', "'scripts/emulator.ts'"],
	bench: ['test/scripts/bench/report.test.ts', "'scripts/bench/main.ts'"],
	soak: ['test/scripts/soak/soak.test.ts', 'scripts/soak/'],
	mutation: ['test/mutation/tests.test.ts', "'tests.mjs'"],
	pictures: ['testbed/n8n/pictures.ts', 'process.env.UPDATE_PICTURES'],
	format: ['.ci/run', 'npm run format:check'],
};
const CI = '.ci/run';

/** The programs behind the scripts that take options, each with a parser that names what it does not know. */
const PROGRAMS: Record<string, string> = {
	start: 'scripts/start.ts',
	emulator: 'scripts/emulator.ts',
	bench: 'scripts/bench/main.ts',
	soak: 'scripts/soak/main.ts',
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

const scripts: Record<string, string> = manifest.scripts;
const sources = ['emulator', 'scripts', 'testbed'].flatMap((folder) =>
	readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
		.filter((file) => file.endsWith('.ts'))
		.map((file) => readFileSync(path.join(ROOT, folder, file), 'utf8')),
);
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

/** Why a command of the documentation cannot be right; undefined where it is. */
async function faultOf({ env, words }: Command): Promise<string | undefined> {
	for (const name of Object.keys(env)) {
		if (!sources.some((source) => source.includes(`env.${name}`))) {
			return `nothing reads the environment variable ${name}`;
		}
	}
	const [program, verb = '', ...rest] = words;
	if (RELEASE_USES.some((use) => use.test(words.join(' ')))) return undefined;
	if (program === 'npx') return faultOfNpx(verb, rest);
	if (program !== 'npm') return 'no test knows this program: add it to commands.test.ts';
	if (verb === 'ci' && rest.length === 0) return undefined;
	if (verb === 'pack' && rest.length === 0) return undefined;
	if (verb === 'version' && /^(?:patch|minor|major)$/.test(rest[0] ?? '')) return undefined;
	if (verb === 'install') {
		const [flag, name = manifest.name] = rest;
		const isInstalledByTests = read('testbed/n8n/home.ts').includes(`'${flag}'`);
		return isInstalledByTests && name === manifest.name
			? undefined
			: 'no test installs it like this';
	}
	const [script = '', ...given] = verb === 'run' ? rest : [verb, ...rest];
	if (!Object.hasOwn(scripts, script)) return `package.json has no script "${script}"`;
	if (given.length > 0 && given[0] !== '--') return 'options of a script follow after --';
	return await faultOfScript(script, given.slice(1));
}

async function faultOfScript(script: string, options: string[]): Promise<string | undefined> {
	const runs = new RegExp(`^npm (?:run )?${script}$`, 'm');
	const [file, text] = PROOFS[script] ?? [CI, undefined];
	if (text === undefined ? !runs.test(read(file)) : !read(file).includes(text)) {
		return `nothing proves the script "${script}": run it in ${CI}, or say in PROOFS of commands.test.ts what does`;
	}
	if (options.length === 0) return undefined;
	if (script === 'demo') return options.length === 1 ? undefined : 'the demo takes one site ID';
	if (script === 'test:n8n') {
		const files = readdirSync(path.join(ROOT, 'test/n8n'));
		const [name = ''] = options;
		return files.includes(`${name}.test.ts`) ? undefined : `there is no test/n8n/${name}.test.ts`;
	}
	return await faultOfOptions(PROGRAMS[script] ?? '', options);
}

/** Has the program itself read the options: with one more that it cannot know, it must complain of that one alone. */
async function faultOfOptions(file: string, options: string[]): Promise<string | undefined> {
	const unknown = '--no-such-option';
	const { stderr } = await startScript(file, [...options, unknown]);
	return stderr.includes(`'${unknown}'`)
		? undefined
		: `${file} refuses ${options.join(' ')}: ${stderr}`;
}

/** How git and npm are used for a release; what they do is their own. */
const RELEASE_USES = [
	/^git commit --all --message Version \d+\.\d+\.\d+$/,
	/^git tag v\d+\.\d+\.\d+$/,
	/^git push origin HEAD v\d+\.\d+\.\d+$/,
	/^npm stage publish$/,
];

/** The same tools that the checks use, for the package that this one is. */
function faultOfNpx(tool: string, given: string[]): string | undefined {
	if (!Object.hasOwn(tools.devDependencies, tool))
		return `tools/package.json does not name ${tool}`;
	return given.join(' ') === manifest.name ? undefined : `it is to be run for ${manifest.name}`;
}

describe('the commands of the documentation', () => {
	it('are found', () => {
		expect(commands.length).toBeGreaterThan(20);
		expect(existsSync(path.join(ROOT, 'package-lock.json'))).toBe(true);
	});

	const lines = new Map(
		commands.map((command) => [
			[
				...Object.entries(command.env).map(([name, value]) => `${name}=${value}`),
				...command.words,
			].join(' '),
			command,
		]),
	);

	it.each([...lines])(
		'%s',
		async (_line, command) => {
			const fault = await faultOf(command);
			expect(fault && `${command.place}: ${fault}`).toBeUndefined();
		},
		60_000,
	);
});
