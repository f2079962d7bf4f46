import { includesOf } from '../../service/includes';

it.each<[Parameters<typeof includesOf>[0], string[]]>([
	[{ units: false, info: false }, []],
	[{ info: true, units: true }, ['units', 'info']],
	[
		{ units: false, info: true, others: ['sensors', 'info', 'units'] },
		['info', 'sensors', 'units'],
	],
])('the values of $include for %j are %j', (parts, includes) => {
	expect(includesOf(parts)).toEqual(includes);
});
