import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import pixelmatch from 'pixelmatch';
import { PNG } from 'pngjs';

const DIRECTORY = path.resolve(__dirname, '../../docs/images');
/** Another Chromium draws some edges a little differently: 147 and 156 by a seventh of this. */
const TOLERATED_SHARE = 0.0005;

/**
 * Checks that a picture of the documentation still shows what the editor shows. With `UPDATE_PICTURES` in the
 * environment it is replaced instead.
 *
 * @throws Error with the share of pixels that differ.
 */
export async function checkPicture(name: string, seen: Buffer): Promise<void> {
	const file = path.join(DIRECTORY, `${name}.png`);
	if (process.env.UPDATE_PICTURES) {
		await writeFile(file, seen);
		return;
	}
	const share = shareOfDifference(PNG.sync.read(await readFile(file)), PNG.sync.read(seen));
	if (share > TOLERATED_SHARE) {
		throw new Error(
			`${(share * 100).toFixed(2)} % of docs/images/${name}.png differs from what the editor shows. If the change is meant, run npm run pictures and look at it.`,
		);
	}
}

function shareOfDifference(one: PNG, other: PNG): number {
	const { width, height } = one;
	if (width !== other.width || height !== other.height) return 1;
	return pixelmatch(one.data, other.data, undefined, width, height) / (width * height);
}
