import { readFileSync } from 'node:fs';
import { chart } from '../../../scripts/bench/chart';
import { chartFile, DOCS, pageFile, readResults, withFigures } from '../../../scripts/bench/report';
import type { Results } from '../../../scripts/bench/results';
import { allTables } from '../../../scripts/bench/tables';
import { isMet, judge } from '../../../scripts/bench/targets';

describe('the report of the benchmark', () => {
	let results: Results;

	beforeAll(async () => {
		results = await readResults(DOCS);
	});

	it('shows the figures that are kept', () => {
		const page = readFileSync(pageFile(DOCS), 'utf8');

		expect(withFigures(page, results)).toBe(page);
		expect(readFileSync(chartFile(DOCS), 'utf8')).toBe(chart(results));
	});

	it('refuses a page without marks', () => {
		expect(() => withFigures('# Performance', results)).toThrow('lacks its marks');
	});

	it('says of lost items instead of comparing what was left', () => {
		const losing = structuredClone(results);
		for (const { contestants } of losing.scenarios) {
			for (const { figures } of contestants) figures.itemsLost = 1;
		}

		expect(judge(losing).filter(({ what }) => what.includes('CPU of'))).toMatchObject([
			{ measured: Infinity },
			{ measured: Infinity },
		]);
		expect(chart(losing).match(/>items lost</g)?.length).toBe(
			chart(losing).match(/rx="2"/g)?.length,
		);
	});

	it('tells what the limit costs each contestant, and requires of ours that nothing is refused', () => {
		const refused = structuredClone(results);
		const limit = refused.scenarios.find(({ name }) => name === 'limit');
		const ours = limit?.contestants.find(({ name }) => name === 'getManySites')?.figures;
		if (!ours) throw new Error('The scenario with the limit has not run');
		Object.assign(ours, { timesShortest: 1.2, refusals: 7 });

		expect(
			judge(refused)
				.filter((verdict) => !isMet(verdict))
				.map(({ measured }) => measured),
		).toEqual(expect.arrayContaining([1.2, 7]));
		expect(allTables(refused)).toMatch(/\| Get Many Sites .*\| +7 \| +1\.20 \|/);
	});

	it('leaves out what has not run', () => {
		const nothing = { ...results, scenarios: [] };
		delete nothing.footprint;

		expect(judge(nothing)).toEqual([]);
		expect(chart(nothing)).toMatch(/^<svg [\s\S]*<\/svg>\n$/);
	});
});
