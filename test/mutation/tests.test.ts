import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

interface Result {
	id: string;
	errors: string[];
}

let folder: string;

/**
 * Has {@link Tests} run files twice, in a process of its own, and gives the outcome of the second time.
 *
 * @param between what is done between the two.
 */
function run(
	files: string[],
	options: { only?: string[]; bail?: boolean; about?: string } = {},
	between = '',
): Result[] {
	const tests = pathToFileURL(path.join(__dirname, 'tests.mjs')).href;
	const program = `
		const { Tests } = await import(${JSON.stringify(tests)});
		const tests = new Tests(${JSON.stringify(files)});
		await tests.load();
		await tests.run();
		${between};
		process.stdout.write(JSON.stringify(await tests.run(${JSON.stringify(options)})), process.exit);
	`;
	const output = execFileSync('node', ['--input-type=module', '--eval', program], {
		cwd: folder,
		encoding: 'utf8',
	});
	return JSON.parse(output) as Result[];
}

describe('tests that are to notice mutants', () => {
	let file: string;

	beforeAll(() => {
		folder = mkdtempSync(path.join(tmpdir(), 'mutation-'));
		file = path.join(folder, 'tide.test.ts');
		writeFileSync(
			file,
			`describe('the tide', () => {
				let height: number;
				beforeEach(() => { height = 2; });
				it('is high', () => { expect(height).toBe(2); });
				it.each([1, 3])('is not %d', (other: number) => { expect(height).toBe(other); });
			});`,
		);
	});
	afterAll(() => rmSync(folder, { recursive: true }));

	it('are run as often as there are mutants, and tell what fails', () => {
		expect(run([file])).toMatchObject([
			{ id: 'tide.test.ts: the tide › is high', errors: [] },
			{ id: 'tide.test.ts: the tide › is not 1', errors: [expect.stringMatching('Received')] },
			{ id: 'tide.test.ts: the tide › is not 3', errors: [expect.stringMatching('Received')] },
		]);
	});

	it('are those that reach the mutant alone', () => {
		const id = 'tide.test.ts: the tide › is not 3';

		expect(run([file], { only: [id] }).map((result) => result.id)).toEqual([id]);
	});

	it('end with the first failure', () => {
		expect(run([file], { bail: true })).toHaveLength(2);
	});

	it('begin with those about a file, and those beside them', () => {
		const places = ['catch', 'harbour/pier', 'harbour/tide', 'harbour'];
		const files = places.map((place) => path.join(folder, 'test', `${place}.test.ts`));
		mkdirSync(path.join(folder, 'test', 'harbour'), { recursive: true });
		for (const one of files) writeFileSync(one, "it('passes', () => { expect(1).toBe(1); });");

		expect(run(files, { about: 'harbour/tide.ts' }).map(({ id }) => id)).toEqual([
			'test/harbour/tide.test.ts: passes',
			'test/harbour/pier.test.ts: passes',
			'test/harbour.test.ts: passes',
			'test/catch.test.ts: passes',
		]);
	});

	it('load what they test once, and anew when it is unloaded', () => {
		writeFileSync(path.join(folder, 'loads.ts'), 'globalThis.loads = (globalThis.loads ?? 0) + 1;');
		const counting = path.join(folder, 'counting.test.ts');
		writeFileSync(
			counting,
			`import './loads';
			it('is loaded once', () => { expect(globalThis.loads).toBe(1); });`,
		);

		expect(run([counting])).toMatchObject([{ errors: [] }]);
		expect(run([counting], {}, 'tests.unload()')).toMatchObject([
			{ errors: [expect.stringMatching('Received')] },
		]);
	});

	it('fail where what they test cannot be loaded', () => {
		const breaking = path.join(folder, 'breaking.test.ts');
		writeFileSync(
			breaking,
			`if (globalThis.isBroken) throw new Error('broken');
			it('is loaded', () => { expect(1).toBe(1); });`,
		);
		const id = 'breaking.test.ts: is loaded';

		expect(run([breaking], { only: [id] }, 'globalThis.isBroken = true')).toMatchObject([
			{ id, errors: [expect.stringMatching('broken')] },
		]);
	});
});
