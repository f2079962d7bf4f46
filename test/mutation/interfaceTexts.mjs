import { createRequire } from 'node:module';
import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

/** Properties with texts for the eye alone: n8n shows them beside a field, and nothing depends on them. */
const SHOWN = createRequire(import.meta.url)('../textProperties.json');

/** Tables of messages. `test/docs/messages.test.ts` compares them with the page and reads every sentence, without Stryker. */
const TABLES = ['MESSAGES', 'FIELD_FAULTS'];

const nameOf = (node) => node?.key?.name;

/** Whether the file defines tables of messages. */
const isTexts = ({ scope }) =>
	TABLES.some((name) => scope.getProgramParent().getOwnBinding(name)?.kind === 'const');

/** Leaves out the texts of the interface; a description beside a `message` is that of a failure, and counts. */
export const interfaceTexts = declareValuePlugin(PluginKind.Ignore, 'interface-texts', {
	shouldIgnore(path) {
		const { node, parent, parentPath } = path;
		if (!/^(?:String|Template)Literal$/.test(node.type)) return undefined;
		if (isTexts(path)) return 'a text of a message';
		if (!SHOWN.includes(nameOf(parent))) return undefined;
		const siblings = parentPath?.parent?.properties ?? [];
		const isFailure = siblings.some((sibling) => nameOf(sibling) === 'message');
		return isFailure ? undefined : 'a text of the interface';
	},
});
