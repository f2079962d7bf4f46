import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import pixelmatch from 'pixelmatch';
import { PNG } from 'pngjs';
import { until } from '../wait';

const DIRECTORY = path.resolve(__dirname, '../../docs/images');
/** Chromium 147 and 156 differ by a seventh of this. */
const TOLERATED_SHARE = 0.0005;

/** Parts of a page may load late. */
const LOADING_MS = 20_000;

/**
 * Checks that a picture of the documentation is current, or replaces it if `UPDATE_PICTURES` is set.
 *
 * @param take takes a PNG image.
 * @throws Error with the share of different pixels.
 */
export async function checkPicture(name: string, take: () => Promise<Buffer>): Promise<void> {
	const file = path.join(DIRECTORY, `${name}.png`);
	if (process.env.UPDATE_PICTURES) {
		await writeFile(file, await take());
		return;
	}
	const expected = PNG.sync.read(await readFile(file));
	let share = 1;
	const isShown = async () => {
		share = shareOfDifference(expected, PNG.sync.read(await take()));
		return share <= TOLERATED_SHARE;
	};
	await until(isShown, LOADING_MS).catch((cause: unknown) => {
		throw new Error(
			`${(share * 100).toFixed(2)} % of docs/images/${name}.png differs from what the editor shows. If the change is meant, run npm run pictures and look at it.`,
			{ cause },
		);
	});
}

function shareOfDifference(one: PNG, other: PNG): number {
	const { width, height } = one;
	if (width !== other.width || height !== other.height) return 1;
	return pixelmatch(one.data, other.data, undefined, width, height) / (width * height);
}
