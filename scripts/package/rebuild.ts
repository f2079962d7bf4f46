import { createHash } from 'node:crypto';
import { cp, symlink } from 'node:fs/promises';
import path from 'node:path';
import { x } from 'tinyexec';
import { run } from '../../testbed/command';
import { pack, type Tarball } from '../../testbed/tarball';

/** What comes of a build or an install, and is not copied. */
const MADE = ['.git', 'coverage', 'dist', 'node_modules'];

/**
 * Builds and packs the package once more, at another place and another time, so that anybody can prove what the
 * published package was made of.
 *
 * @returns in what the two tarballs differ.
 */
export async function rebuild(root: string, first: Tarball, scratch: string): Promise<string> {
	const copy = path.join(scratch, 'another', 'place');
	await cp(root, copy, {
		recursive: true,
		filter: (file) => !MADE.includes(path.basename(file)),
	});
	await symlink(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
	await run('npm', ['run', 'build'], { cwd: copy, env: { TZ: 'Pacific/Auckland' }, quiet: true });
	const second = await pack(copy, path.join(scratch, 'rebuilt'));

	const [before, after] = [first, second].map(({ content }) =>
		createHash('sha256').update(content).digest('hex'),
	);
	if (before === after) return '';
	const { stdout } = await x('diff', ['-r', first.folder, second.folder]);
	return `SHA-256 ${before}, and ${after} for the same sources in another folder\n${stdout}`;
}
