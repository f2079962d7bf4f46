import type { INodeExecutionData } from 'n8n-workflow';
import { field, type Field } from '../../../../nodes/Aquaculture/fields/field';
import { Parameters } from '../../../../nodes/Aquaculture/fields/parameters';
import { nodeOf } from '../nodeOf';

const TOOL = 'n8n-nodes-aquaculture.aquacultureTool';

const check = jest.fn((value: unknown) => ({ value }));
const SITE_ID: Field<unknown> = field(
	{ displayName: 'Site ID', name: 'siteId', type: 'string', default: '' },
	check,
);

/** The parameters of a node whose field holds `raw`; n8n evaluates an expression to "evaluated" and the item's index. */
function parametersOf(raw: unknown, items: INodeExecutionData[] = [], type?: string) {
	const isExpression = JSON.stringify(raw).includes('"=');
	const evaluate = jest.fn((itemIndex: number) => (isExpression ? `evaluated ${itemIndex}` : raw));
	const parameters = new Parameters({
		getNode: () => nodeOf(type),
		getInputData: () => items,
		getNodeParameter: (_name, itemIndex, _fallback, options) =>
			options?.rawExpressions ? raw : evaluate(itemIndex),
	});
	const readFor = (itemIndexes: readonly number[]) =>
		itemIndexes.map((itemIndex) => parameters.read(SITE_ID, itemIndex));
	return { parameters, readFor, evaluate };
}

beforeEach(() => check.mockClear());

it.each([7, true, null, 'text', 'a=b', ['a'], { a: { b: 'c' } }, [], {}])(
	'a parameter that is no expression is read and checked once for all items: %j',
	(raw) => {
		const { readFor, evaluate } = parametersOf(raw);

		expect(readFor([0, 1, 2])).toEqual([raw, raw, raw]);
		expect(evaluate).toHaveBeenCalledTimes(1);
		expect(check).toHaveBeenCalledTimes(1);
	},
);

it.each([
	'=text',
	'={{ $json.siteId + 1 }}',
	'={{ $json.site.id }}',
	'={{ $json.siteId }} ',
	'= {{ $json.siteId }}',
	'={{ $json.first }}={{ $json.siteId }}',
	'={{ $json.siteId }}{{ $json.last }}',
	'={{ $json["siteId"] }}',
	'={{ $json.1 }}',
	['a', '={{ $json.siteId }}'],
	{ a: { b: '=1' }, c: 2 },
])('a parameter that is an expression is evaluated for each item: %j', (raw) => {
	const { readFor, evaluate } = parametersOf(raw, [{ json: { siteId: 7 } }, { json: {} }]);

	expect(readFor([0, 1])).toEqual(['evaluated 0', 'evaluated 1']);
	expect(evaluate).toHaveBeenCalledTimes(2);
});

it('a parameter that is an expression is evaluated and checked once for an item', () => {
	const { readFor, evaluate } = parametersOf('=text');

	expect(readFor([0, 0, 1, 1])).toEqual([0, 0, 1, 1].map((index) => `evaluated ${index}`));
	expect(evaluate).toHaveBeenCalledTimes(2);
	expect(check).toHaveBeenCalledTimes(2);
});

it.each(['={{ $json.siteId }}', '={{$json.siteId}}', '={{   $json.siteId   }}'])(
	'a parameter that names a field of the item is read from there: %s',
	(raw) => {
		const { readFor, evaluate } = parametersOf(raw, [
			{ json: { siteId: 7 } },
			{ json: {} },
			{ json: Object.create({ siteId: 8 }) as { siteId: number } },
			{ binary: {} } as INodeExecutionData,
		]);

		expect(readFor([0, 1, 2, 3, 4])).toEqual([7, ...Array<undefined>(4).fill(undefined)]);
		expect(evaluate).not.toHaveBeenCalled();
	},
);

it('a parameter of a tool is evaluated, since the items are its agent’s', () => {
	const { readFor } = parametersOf('={{ $json.siteId }}', [{ json: { siteId: 7 } }], TOOL);

	expect(readFor([0])).toEqual(['evaluated 0']);
});

it.each([
	[undefined, undefined, /^Correct 'Site ID' in the node\. .*, check its result\.$/],
	[3, undefined, /^Correct 'Site ID' in the node\. .*, check what .* returns for this item\.$/],
	[3, TOOL, /^Call this tool again with a value that fits, or ask for it\.$/],
])('a parameter that cannot be used says so (item %j of %s)', (itemIndex, type, description) => {
	const { parameters } = parametersOf('', [], type);
	const refused: Field<unknown> = { ...SITE_ID, check: () => ({ fault: 'is empty' }) };

	expect(() => parameters.read(refused, itemIndex)).toThrow(
		expect.objectContaining({
			message: "'Site ID' is empty",
			description: expect.stringMatching(description) as unknown,
			context: expect.objectContaining(itemIndex === undefined ? {} : { itemIndex }) as unknown,
		}) as Error,
	);
});
