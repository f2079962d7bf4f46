import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DOCS, readResults, withFigures } from '../../../scripts/bench/report';
import { isMet, summarize, targetsOf, type Results } from '../../../scripts/bench/results';
import { startScript } from '../../../testbed/command';

const RUN = { seconds: 3, cpuMsPerSite: 1, memoryMB: 60, refused: 0, lost: 0 };
const RESULTS: Results = {
	date: '2026-01-31',
	versions: { package: '1.0.0', n8n: '2.40.7', node: '24.21.0' },
	machine: { cpu: 'a processor', cores: 2, isPinned: true },
	figures: [],
};

const row = (
	scenario: 'cpu' | 'time' | 'limit',
	step: 'getManySites' | 'httpRequest' | 'script',
	figures: Partial<typeof RUN>,
	build: 'this' | 'other' = 'this',
) => ({ scenario, step, build, sites: 250, runs: 1, ...RUN, ...figures });

const missed = (results: Partial<Results>) =>
	targetsOf({ ...RESULTS, ...results })
		.filter((target) => !isMet(target))
		.map(({ what, measured }) => [what, measured]);

describe('the targets of the benchmark', () => {
	it('compare with the other build, the HTTP Request node and the bare script', () => {
		const figures = [
			row('cpu', 'getManySites', { cpuMsPerSite: 1.2 }),
			row('cpu', 'getManySites', { cpuMsPerSite: 1 }, 'other'),
			row('cpu', 'httpRequest', { cpuMsPerSite: 3 }),
			row('time', 'getManySites', { seconds: 4 }),
			row('time', 'script', { seconds: 2 }),
		];

		expect(missed({ against: '2fe60de', figures })).toEqual([
			['Get Many Sites: CPU, of 2fe60de', 1.2],
			['Get Many Sites: CPU, of HTTP Request', expect.closeTo(0.4)],
			['Get Many Sites: time, of the bare script', 2],
		]);
	});

	it('bound what it takes to share an account with a long run', () => {
		const row = { aloneSeconds: 1, besideSeconds: 1, refused: 0 };
		const shared = [
			{ ...row, what: 'The run', aloneSeconds: 200, besideSeconds: 270 },
			{ ...row, what: 'Ten sites', besideSeconds: 9 },
			{ ...row, what: 'A credential test', besideSeconds: 11, refused: 1 },
		];

		expect(missed({ shared })).toEqual([
			['The run: time beside others, of alone', 1.35],
			['A credential test beside the run of 420 sites: seconds', 11],
			['Beside each other: requests refused', 1],
		]);
	});

	it('allow, with the limit, a tenth more than at its pace, and nothing refused or lost', () => {
		const paced = (60 * 250) / 93;
		const figures = [
			row('limit', 'getManySites', { seconds: paced * 1.09 }),
			row('limit', 'httpRequest', { seconds: paced * 1.25, refused: 7, lost: 2 }),
		];

		expect(missed({ figures })).toEqual([
			[
				'HTTP Request, same credential: time, of that at 93 requests a minute',
				expect.closeTo(1.25),
			],
			['HTTP Request, same credential: requests refused, with the limit', 7],
			['Sites lost, in all rows', 2],
		]);
	});

	it('bound what loading the package costs, and leave out what was not measured', () => {
		const loading = [
			{ build: 'this' as const, milliseconds: 16, heapMB: 4 },
			{ build: 'other' as const, milliseconds: 10, heapMB: 1 },
		];

		expect(missed({ loading })).toEqual([
			['Loading: ms', 16],
			['Loading: MB of heap', 4],
		]);
		expect(targetsOf(RESULTS)).toEqual([]);
	});

	it('take medians, and the worst run of what was refused and lost', () => {
		const runs = [RUN, { ...RUN, seconds: 9, lost: 1 }, { ...RUN, seconds: 5, refused: 2 }];

		expect(summarize(runs)).toEqual({ ...RUN, seconds: 5, refused: 2, lost: 1 });
	});
});

describe('the report of the benchmark', () => {
	const page = readFileSync(path.join(DOCS, 'performance.md'), 'utf8');

	it('is the page in docs, with the figures that are kept', async () => {
		expect(withFigures(page, await readResults(DOCS))).toBe(page);
	});

	it('shows what was measured, the other build beside this one', () => {
		const figures = [
			row('limit', 'getManySites', { seconds: 121, memoryMB: 24.6 }),
			row('limit', 'getManySites', { refused: 5 }, 'other'),
		];

		const report = withFigures(page, { ...RESULTS, against: '2fe60de', figures });

		expect(report).toContain('### 250 sites, 50 ms latency, 100 requests a minute\n\nOne run.');
		expect(report).toMatch(/^\| Get Many Sites +\| +121\.00 \| +1\.00 \| +25 \| +0 \| +0 \|$/m);
		expect(report).toMatch(/^\| Get Many Sites, 2fe60de \|.* 5 \| +0 \|$/m);
		expect(report).not.toContain('### 5,000 sites');
	});

	it('fails the command where a target is missed, and names it', async () => {
		const output = mkdtempSync(path.join(tmpdir(), 'bench-'));
		const results = { ...RESULTS, figures: [row('time', 'script', { lost: 1 })] };
		writeFileSync(path.join(output, 'performance.json'), JSON.stringify(results));

		const report = ['--report', '--output', output];
		const { exitCode, stderr } = await startScript('scripts/bench/main.ts', report);
		const written = readFileSync(path.join(output, 'performance.md'), 'utf8');
		rmSync(output, { recursive: true });

		expect(stderr).toContain('Missed: Sites lost, in all rows');
		expect(exitCode).toBe(1);
		expect(written).toMatch(/Sites lost, in all rows \| +0 \| +1\.00 \| missed/);
	});
});
