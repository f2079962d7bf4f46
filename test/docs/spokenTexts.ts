import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { ROOT } from './pages';

/** The folders whose sentences people read in n8n. */
const SPEAKING = ['api', 'shared', 'credentials', 'nodes'];

/** Words that the people who use n8n at a fish farm do not use, or that say nothing. */
export const JARGON = /\b(?:error|problem|API|JSON|payload)\b/i;

/** A text in the code from which messages are made. */
export interface SpokenText {
	/** Its fixed parts; between two of them stands what is filled in. */
	parts: string[];
	/** File and line. */
	place: string;
}

/**
 * All texts of the package from which messages are made. Of the strings that read like a part of a sentence these are
 * left out: the texts of the panel (in an object with a `displayName` or an `action`), what is told beside a message
 * (`description` of a failure, and what is used for it alone), and the messages of errors that nobody reads.
 */
export function spokenTexts(): SpokenText[] {
	const files = SPEAKING.flatMap((folder) =>
		readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
			// The sentences of the trigger's items are no messages.
			.filter((file) => file.endsWith('.ts') && !file.endsWith('trigger/items.ts'))
			.map((file) => path.join(ROOT, folder, file)),
	);
	const sources = new Map(files.map((file) => [file, new Source(file)]));
	const pending = [...sources.values()].flatMap((source) => source.advice);
	for (let advice = pending.pop(); advice; advice = pending.pop()) {
		for (const { file, name } of advice) {
			pending.push(...(sources.get(file)?.takeAsAdvice(name) ?? []));
		}
	}
	return [...sources.values()].flatMap((source) => source.texts());
}

/** A name in a file: a constant or a function. */
interface Named {
	file: string;
	name: string;
}

class Source {
	/** The names that are used in what is told beside a message. */
	readonly advice: Named[][] = [];

	private readonly tree: ts.SourceFile;

	private readonly adviceNodes = new Set<ts.Node>();

	private readonly declarations = new Map<string, ts.Node>();

	private readonly imports = new Map<string, Named>();

	constructor(private readonly file: string) {
		this.tree = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
		this.look(this.tree);
		for (const node of this.adviceNodes) this.advice.push(this.namesIn(node));
	}

	/** Counts a constant or a function as advice, and returns the names in it. */
	takeAsAdvice(name: string): Named[][] {
		const node = this.declarations.get(name);
		if (!node || this.adviceNodes.has(node)) return [];
		this.adviceNodes.add(node);
		return [this.namesIn(node)];
	}

	texts(): SpokenText[] {
		const found: SpokenText[] = [];
		const visit = (node: ts.Node): void => {
			if (this.isSilent(node)) return;
			const parts = partsOf(node);
			if (parts && readsLikeASentence(parts)) {
				const { line } = this.tree.getLineAndCharacterOfPosition(node.getStart());
				found.push({ parts, place: `${path.relative(ROOT, this.file)}:${line + 1}` });
			}
			ts.forEachChild(node, visit);
		};
		visit(this.tree);
		return found;
	}

	private look(node: ts.Node): void {
		if (ts.isImportDeclaration(node)) this.noteImports(node);
		if (ts.isVariableDeclaration(node) || ts.isFunctionDeclaration(node)) {
			if (node.name && ts.isIdentifier(node.name)) this.declarations.set(node.name.text, node);
		}
		if (ts.isPropertyAssignment(node) && node.name.getText() === 'description') {
			this.adviceNodes.add(node);
		}
		if (ts.isCallExpression(node) && node.expression.getText() === 'inputError') {
			const [, , advice] = node.arguments;
			if (advice) this.adviceNodes.add(advice);
		}
		ts.forEachChild(node, (child) => this.look(child));
	}

	private noteImports({ moduleSpecifier, importClause }: ts.ImportDeclaration): void {
		const target = (moduleSpecifier as ts.StringLiteral).text;
		const bindings = importClause?.namedBindings;
		if (!target.startsWith('.') || !bindings || !ts.isNamedImports(bindings)) return;
		const file = `${path.resolve(path.dirname(this.file), target)}.ts`;
		for (const { name } of bindings.elements) {
			this.imports.set(name.text, { file, name: name.text });
		}
	}

	private namesIn(node: ts.Node): Named[] {
		const names: Named[] = [];
		const visit = (child: ts.Node): void => {
			// What stands beside the description of a failure is a message.
			if (ts.isPropertyAccessExpression(child) && child.name.text === 'description') return;
			if (ts.isIdentifier(child)) {
				const { text: name } = child;
				names.push(this.imports.get(name) ?? { file: this.file, name });
			}
			ts.forEachChild(child, visit);
		};
		visit(node);
		return names;
	}

	/** Whether nothing in it is said as a message. */
	private isSilent(node: ts.Node): boolean {
		if (this.adviceNodes.has(node) || ts.isImportDeclaration(node) || ts.isTypeNode(node)) {
			return true;
		}
		if (ts.isNewExpression(node)) {
			const [argument] = node.arguments ?? [];
			return argument !== undefined && ts.isStringLiteral(argument);
		}
		if (ts.isPropertyDeclaration(node)) {
			return node.initializer !== undefined && ts.isStringLiteral(node.initializer);
		}
		return (
			ts.isObjectLiteralExpression(node) &&
			node.properties.some((property) =>
				['displayName', 'action'].includes(property.name?.getText() ?? ''),
			)
		);
	}
}

function readsLikeASentence(parts: readonly string[]): boolean {
	const text = parts.join('');
	return text.includes(' ') && (text.match(/\p{L}{2,}/gu)?.length ?? 0) > 1;
}

/** The fixed parts of a string; undefined where the node is none. */
function partsOf(node: ts.Node): string[] | undefined {
	if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return [node.text];
	if (!ts.isTemplateExpression(node)) return undefined;
	return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)];
}
