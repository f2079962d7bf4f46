import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import GithubSlugger from 'github-slugger';
import { lexer, walkTokens, type Token, type Tokens } from 'marked';

export const ROOT = path.resolve(__dirname, '../..');

/** Folders whose pages belong to the documentation, beside the README. */
const FOLDERS = ['docs', 'examples'];

/** A file in a folder, as a page names it. */
const FILE = /`([\w-]+\/[\w./-]+\.\w+)`/;

export interface CodeBlock {
	language: string;
	text: string;
	/** Page and line of its first line, as a person looks for it. */
	place: string;
	/** The file that the sentence before it names first. */
	announced: string | undefined;
}

/** A page of the documentation. */
export class Page {
	readonly text: string;

	readonly blocks: CodeBlock[] = [];

	/** Where its links and images lead to, as written. */
	readonly targets: string[] = [];

	/** Of its headings, as GitHub makes them. */
	readonly anchors = new Set<string>();

	/** Code within a sentence. */
	readonly codes: string[] = [];

	readonly tables: Tokens.Table[] = [];

	/** @param file relative to the repository. */
	constructor(readonly file: string) {
		this.text = readFileSync(path.join(ROOT, file), 'utf8');
		const slugger = new GithubSlugger();
		const tokens = lexer(this.text);
		this.readBlocks(tokens);
		void walkTokens(tokens, (token) => {
			if (token.type === 'heading')
				this.anchors.add(slugger.slug(plainText(token as Tokens.Heading)));
			if (token.type === 'link' || token.type === 'image') {
				this.targets.push((token as Tokens.Link).href);
			}
			if (token.type === 'html') {
				const addresses = token.raw.matchAll(/\b(?:src|srcset|href)="([^"]+)"/g);
				for (const [, address = ''] of addresses) this.targets.push(address);
			}
			if (token.type === 'codespan') this.codes.push((token as Tokens.Codespan).text);
			if (token.type === 'table') this.tables.push(token as Tokens.Table);
		});
	}

	/** The tables whose first column has this heading. */
	tablesOf(heading: string): Tokens.Table[] {
		return this.tables.filter(({ header }) => header[0]?.text === heading);
	}

	private readBlocks(tokens: readonly Token[]): void {
		let line = 1;
		let announced: string | undefined;
		for (const token of tokens) {
			if (token.type === 'code') {
				const { lang = '', text } = token as Tokens.Code;
				this.blocks.push({ language: lang, text, place: `${this.file}:${line}`, announced });
			}
			if (['paragraph', 'list'].includes(token.type)) announced = FILE.exec(token.raw)?.[1];
			line += token.raw.split('\n').length - 1;
		}
	}
}

/** The text of a token without its marks. */
export function plainText(token: { tokens?: Token[] | undefined; text?: string }): string {
	if (!token.tokens) return token.text ?? '';
	return token.tokens.map((part) => plainText(part as Tokens.Generic)).join('');
}

/** All pages: the README and what lies in the folders of the documentation. */
export const PAGES = [new Page('README.md'), ...FOLDERS.flatMap(pagesIn)];

/** The pages that GitHub shows to those who contribute or report. */
export const COMMUNITY_PAGES = pagesIn('.github');

function pagesIn(folder: string): Page[] {
	return readdirSync(path.join(ROOT, folder))
		.filter((file) => file.endsWith('.md'))
		.map((file) => new Page(`${folder}/${file}`));
}
