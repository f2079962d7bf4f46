import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import GithubSlugger from 'github-slugger';
import { lexer, walkTokens, type Token, type Tokens } from 'marked';

export const ROOT = path.resolve(__dirname, '../..');

export interface CodeBlock {
	language: string;
	text: string;
}

type TokenFields = Partial<Record<'text' | 'href' | 'lang', string>>;

export class Page {
	readonly text: string;

	readonly blocks: CodeBlock[] = [];

	/** Of links and images. */
	readonly targets: string[] = [];

	/** Of headings, as GitHub generates them. */
	readonly anchors = new Set<string>();

	/** Inline code. */
	readonly codes: string[] = [];

	readonly tables: Tokens.Table[] = [];

	constructor(readonly file: string) {
		this.text = read(file);
		const slugger = new GithubSlugger();
		void walkTokens(lexer(this.text), (token) => {
			const { text = '', href = '', lang: language = '' } = token as Token & TokenFields;
			const { type, raw } = token;
			if (type === 'heading') this.anchors.add(slugger.slug(plainText(token)));
			if (type === 'link' || type === 'image') this.targets.push(href);
			if (type === 'html') this.targets.push(...(raw.match(/(?<=\bsrc=")[^"]+/g) ?? []));
			if (type === 'codespan') this.codes.push(text);
			if (type === 'table') this.tables.push(token as Tokens.Table);
			if (type === 'code') this.blocks.push({ language, text });
		});
	}

	/** Returns the rows of tables whose first heading is this, as plain text. */
	rowsOf(heading: string): string[][] {
		const tables = this.tables.filter(({ header }) => header[0]?.text === heading);
		return tables.flatMap(({ rows }) => rows.map((row) => row.map(plainText)));
	}
}

function plainText(token: Token | Tokens.TableCell): string {
	const { tokens, text = '' } = token as Tokens.TableCell;
	return tokens ? tokens.map(plainText).join('') : text;
}

/** @param file relative to the repository, like all files here */
export const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

export const filesIn = (folder: string, ending: string) =>
	readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
		.filter((file) => file.endsWith(ending))
		.map((file) => path.posix.join(folder, file));

export const PAGES = ['docs', 'examples', '.github']
	.flatMap((folder) => filesIn(folder, '.md'))
	.concat('README.md')
	.map((file) => new Page(file));
