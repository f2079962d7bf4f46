import { cp, symlink } from 'node:fs/promises';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '..');

const LEFT_OUT = ['.git', 'coverage', 'dist', 'node_modules'];

/** Copies the sources to a folder, with the same dependencies and without a build. */
export async function copyCheckout(folder: string): Promise<void> {
	const filter = (file: string) => !LEFT_OUT.includes(path.basename(file));
	await cp(ROOT, folder, { recursive: true, filter });
	await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
}
