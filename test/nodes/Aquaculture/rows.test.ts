import type { Field } from '../../../nodes/Aquaculture/fields/field';
import { operations } from '../../../nodes/Aquaculture/operations';
import type { Site } from '../../../service/site';

/** What an operation whose fields are left as they are makes of an answer for site 7. */
function itemsOf(name: keyof typeof operations, json: Site) {
	const requests = operations[name].requests({
		input: {},
		read: <T>({ fallback, check }: Field<T>) => check(fallback).value as T,
		site: () => ({ siteId: 7, siteName: null }),
		sites: () => [{ siteId: 7, siteName: null }],
	});
	return requests.flatMap(({ toOutput }) => toOutput({ statusCode: 200, headers: {}, json }));
}

it.each<[Site, number | null]>([
	[{}, null],
	[{ siteId: null, siteName: null, info: null, units: null }, null],
	[{ info: { depth: 60, code: null }, units: [], owner: 'unknown' }, 0],
])('the row of the site %j has all columns, and nothing else', async (site, numberOfUnits) => {
	const [row, ...others] = itemsOf('getManySites', site);
	const columns = Object.keys(await operations.getManySites.outputFields());
	const empty = Object.fromEntries(columns.map((column) => [column, null]));

	expect([row, others]).toEqual([{ ...empty, siteId: 7, numberOfUnits }, []]);
	expect(Object.keys(row ?? {})).toEqual(columns);
});

it('a site without units has no rows of units, and the row of a unit has all columns, whatever the service sends', async () => {
	for (const units of [undefined, null, []]) {
		expect(itemsOf('getUnits', { ...(units !== undefined && { units }) })).toEqual([]);
	}
	const [row] = itemsOf('getUnits', { units: [{ longitude: null, depth: 20 }] });
	const columns = Object.keys(await operations.getUnits.outputFields());

	expect(row).toEqual({ ...Object.fromEntries(columns.map((each) => [each, null])), siteId: 7 });
	expect(Object.keys(row ?? {})).toEqual(columns);
});
