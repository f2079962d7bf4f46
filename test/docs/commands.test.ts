import { existsSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'shell-quote';
import manifest from '../../package.json';
import { filesIn, PAGES, read, ROOT } from './pages';

const codeIn = (folder: string) => filesIn(folder, '.ts').map(read).join('\n');
const SCRIPTS = codeIn('scripts');
const READERS = SCRIPTS + codeIn('testbed') + codeIn('test');

/** Commands of npm, git, n8n, Docker and the shell. */
const OTHERS = [
	/^npm (ci|pack|audit signatures|stage publish --provenance=false|version minor --no-git-tag-version)$/,
	/^npm (install \/tmp\/|view )n8n-nodes-aquaculture[-@]\d/,
	/^npm ls --prefix ~\/\.n8n\/nodes n8n-nodes-aquaculture$/,
	/^npm view n8n@\d\S* dependencies$/,
	/^docker (cp|exec|restart) /,
	/^n8n [a-z-]+/,
	/^git (grep|commit|tag|push) /,
	/^(export|read -rs)( [A-Z_]+)?$/,
];

/** What of a command does not exist. @param command one of a line, as a shell reads it. */
function missingIn(command: string[]): string[] {
	const settings = command.filter((word) => /^[A-Z][A-Z0-9_]+=/.test(word));
	const unread = settings.filter(
		(setting) =>
			!/^N8N_COMM/.test(setting) && !new RegExp(`env\\.${setting.split('=')[0]}\\b`).test(READERS),
	);
	const words = command.filter((word) => !settings.includes(word));
	const [program, verb = '', ...rest] = words;
	if (!program || OTHERS.some((other) => other.test(words.join(' ')))) return unread;
	const [script = '', ...given] = verb === 'run' ? rest : [verb, ...rest];
	const isMissing = (word: string) => {
		if (script === 'test:n8n') return !existsSync(path.join(ROOT, `test/n8n/${word}.test.ts`));
		if (script === 'jest') return !word.startsWith('--') && !existsSync(path.join(ROOT, word));
		const [, option] = /^--(.+)$/.exec(word) ?? [];
		return option !== undefined && !new RegExp(`\\b'?${option}'?: \\{`).test(SCRIPTS);
	};
	const isScript = Object.hasOwn(manifest.scripts, script) || script === 'jest';
	return [
		...unread,
		...(isScript ? given.filter((word) => word !== '--' && isMissing(word)) : words),
	];
}

const lines = PAGES.flatMap(({ blocks, codes }) => [
	...blocks.filter(({ language }) => language === 'sh').flatMap(({ text }) => text.split('\n')),
	...codes.filter((code) => /^(?:npm|npx|git|n8n|[A-Z_]+=\S+ np[mx]) /.test(code)),
]);

it.each([...new Set(lines)])('the documented command exists: %s', (line) => {
	const commands: string[][] = [[]];
	for (const part of parse(line)) {
		if (typeof part === 'string') commands.at(-1)?.push(part);
		else commands.push([]);
	}

	expect(commands.flatMap(missingIn)).toEqual([]);
});
