import type { INode, INodeExecutionData, NodeParameterValueType } from 'n8n-workflow';
import { field, type Field } from '../../../../nodes/Aquaculture/fields/field';
import { Parameters, type ParameterSource } from '../../../../nodes/Aquaculture/fields/parameters';
import { nodeOf } from '../nodeOf';

const SITE_ID = field<unknown>(
	{ displayName: 'Site ID', name: 'siteId', type: 'string', default: '' },
	(value) => ({ value }),
);
const REFUSED: Field<unknown> = { ...SITE_ID, check: () => ({ fault: 'is empty' }) };

/** A node whose field holds `raw`; an expression gives "evaluated", and the item's index. */
class Source implements ParameterSource {
	/** How often n8n was asked for the value of the field. */
	evaluations = 0;

	constructor(
		private readonly raw: unknown,
		private readonly items?: INodeExecutionData[],
		private readonly type?: string,
	) {}

	getNode(): INode {
		return nodeOf(this.type);
	}

	getInputData(): INodeExecutionData[] {
		return this.items ?? [];
	}

	getNodeParameter(
		_name: string,
		itemIndex: number,
		_fallback?: NodeParameterValueType,
		options?: { rawExpressions?: boolean },
	): unknown {
		if (options?.rawExpressions) return this.raw;
		this.evaluations += 1;
		return JSON.stringify(this.raw).includes('"=') ? `evaluated ${itemIndex}` : this.raw;
	}
}

describe('a parameter', () => {
	it.each([7, true, null, 'text', 'a=b', ['a'], { a: { b: 'c' } }, [], {}])(
		'that is no expression is read and checked once for all items: %j',
		(raw) => {
			const source = new Source(raw);
			const check = jest.fn((value: unknown) => ({ value }));
			const typed = { ...SITE_ID, check };
			const parameters = new Parameters(source, []);

			const read = [0, 1, 2].map((itemIndex) => parameters.read(typed, itemIndex));

			expect(read).toEqual([raw, raw, raw]);
			expect(source.evaluations).toBe(1);
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
	])('that is an expression is evaluated for each item: %j', (raw) => {
		const source = new Source(raw, [{ json: { siteId: 7 } }, { json: { siteId: 8 } }]);
		const parameters = new Parameters(source, []);

		expect([0, 1].map((itemIndex) => parameters.read(SITE_ID, itemIndex))).toEqual([
			'evaluated 0',
			'evaluated 1',
		]);
		expect(source.evaluations).toBe(2);
	});

	it.each(['={{ $json.siteId }}', '={{$json.siteId}}', '={{   $json.siteId   }}'])(
		'that names a field of the item is read from there: %s',
		(raw) => {
			const source = new Source(raw, [
				{ json: { siteId: 7 } },
				{ json: {} },
				{ json: Object.create({ siteId: 8 }) as { siteId: number } },
				{ binary: {} } as INodeExecutionData,
			]);
			const parameters = new Parameters(source, []);

			expect([0, 1, 2, 3, 4].map((itemIndex) => parameters.read(SITE_ID, itemIndex))).toEqual([
				7,
				undefined,
				undefined,
				undefined,
				undefined,
			]);
			expect(source.evaluations).toBe(0);
		},
	);

	it('of a tool is evaluated, since the items are its agent’s', () => {
		const source = new Source('={{ $json.siteId }}', [{ json: { siteId: 7 } }], 'aquacultureTool');

		expect(new Parameters(source, []).read(SITE_ID, 0)).toBe('evaluated 0');
	});

	it.each<[number | undefined, string, string]>([
		[
			undefined,
			'aquaculture',
			"Correct 'Site ID' in the node. If it is filled by an expression, check its result.",
		],
		[
			3,
			'aquaculture',
			"Correct 'Site ID' in the node. If it is filled by an expression, check what the step before returns for this item.",
		],
		[3, 'aquacultureTool', 'Call this tool again with a value that fits, or ask for it.'],
	])('that cannot be used says so (item %j of %s)', (itemIndex, type, description) => {
		const parameters = new Parameters(new Source('', [], type), []);

		expect(() => parameters.read(REFUSED, itemIndex)).toThrow(
			expect.objectContaining({
				message: "'Site ID' is empty",
				description,
				context: expect.objectContaining(itemIndex === undefined ? {} : { itemIndex }) as unknown,
			}) as Error,
		);
	});
});
