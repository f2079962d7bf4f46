import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const TESTS = pathToFileURL(path.join(__dirname, 'tests.mjs')).href;

let folder: string;

beforeAll(() => (folder = mkdtempSync(path.join(tmpdir(), 'mutation-'))));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a program with {@link Tests} of a file, loaded, and returns what it returns. */
function run(code: string, program: string): unknown {
	writeFileSync(path.join(folder, 'tide.test.ts'), code);
	const whole = `
		const { Tests } = await import(${JSON.stringify(TESTS)});
		const tests = new Tests([${JSON.stringify(path.join(folder, 'tide.test.ts'))}]);
		await tests.load();
		const main = async () => { ${program} };
		process.stdout.write(JSON.stringify(await main()), process.exit);
	`;
	const options = { cwd: folder, encoding: 'utf8' } as const;
	return JSON.parse(execFileSync('node', ['--input-type=module', '--eval', whole], options));
}

const id = (name: string) => `tide.test.ts: the tide › ${name}`;
const passed = (name: string) => ({ id: id(name), errors: [] });
const failed = (name: string, error: string) => ({
	id: id(name),
	errors: [expect.stringMatching(error)],
});

describe('tests that are to notice mutants', () => {
	it('are run as often as there are mutants: all, some, or up to the first that fails', () => {
		const code = `
			describe('the tide', () => {
				let height: number;
				beforeEach(() => { height = 2; });
				it('is high', () => { expect(height).toBe(2); });
				it.each([1, 3])('is not %d', (other: number) => { expect(height).toBe(other); });
			});
		`;
		const only = [id('is not 3')];

		const program = `return [
			await tests.run(),
			await tests.run({ only: ${JSON.stringify(only)} }),
			await tests.run({ bail: true }),
		]`;

		const [one, three] = [failed('is not 1', 'Received'), failed('is not 3', 'Received')];
		expect(run(code, program)).toMatchObject([
			[passed('is high'), one, three],
			[three],
			[passed('is high'), one],
		]);
	});

	it('load what they test once, and again when it is unloaded, also what is imported later', () => {
		writeFileSync(path.join(folder, 'loads.ts'), 'globalThis.loads = (globalThis.loads ?? 0) + 1;');
		const code = `
			describe('the tide', () => {
				it('is loaded once', async () => {
					await import('./loads');
					expect(globalThis.loads).toBe(1);
				});
			});
		`;

		const program =
			'const twice = [await tests.run(), await tests.run()]; tests.unload(); return [...twice, await tests.run()];';

		const once = [passed('is loaded once')];
		expect(run(code, program)).toMatchObject([once, once, [failed('is loaded once', 'Received')]]);
	});
});
