import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import type { Tarball } from '../../testbed/tarball';

/** Runs publint, and returns what it found; a suggestion is found as well as an error. */
export async function npmLint({ content }: Tarball): Promise<string> {
	const tarball = content.buffer.slice(content.byteOffset, content.byteOffset + content.length);
	const { messages, pkg = {} } = await publint({
		level: 'suggestion',
		strict: true,
		pack: { tarball },
	});
	return messages.map((message) => formatMessage(message, pkg, { color: false })).join('\n');
}
