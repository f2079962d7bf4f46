import type { IDataObject, IExecuteFunctions, INode, NodeExecutionHint } from 'n8n-workflow';
import { requestError } from '../../../../nodes/Aquaculture/n8n/errors';
import {
	ExecutionOutput,
	UNKNOWN_SITE,
	type ErrorItemSite,
} from '../../../../nodes/Aquaculture/output/executionOutput';
import { NODE_TYPE, step } from '../../../../testbed/workflows';

/** 'On Error' of the node, or the node as a tool. */
type Setting = NonNullable<INode['onError']> | 'tool';

function outputWith(setting: Setting) {
	const hints: NodeExecutionHint[] = [];
	const type = setting === 'tool' ? `${NODE_TYPE}Tool` : NODE_TYPE;
	const onError = setting === 'tool' ? {} : { onError: setting };
	const node: INode = { ...step('Aquaculture', type, {}, onError), position: [0, 0] };
	const context = {
		getNode: () => node,
		continueOnFail: () => setting.startsWith('continue'),
		addExecutionHints: (...added: NodeExecutionHint[]) => hints.push(...added),
	} as unknown as IExecuteFunctions;
	const errorOf = (message: string, statusCode?: number) =>
		requestError(node, {
			message,
			description: 'Do this.\nOr that.',
			...(statusCode && { statusCode }),
		});
	return { output: new ExecutionOutput(context), hints, errorOf };
}

const NAMED: ErrorItemSite = { siteId: 7, siteName: 'Vik' };

it('items are in the order of input items and their requests, each linked to its input item', () => {
	const { output, errorOf } = outputWith('continueRegularOutput');
	output.add({ itemIndex: 2, position: 0 }, [{ siteId: 4 }]);
	output.fail({ itemIndex: 0, position: 1 }, errorOf('It failed'), { ...NAMED, siteId: 3 });
	output.add({ itemIndex: 0, position: 0 }, [{ siteId: 1 }, { siteId: 2 }]);

	expect(output.items().map(({ json, pairedItem }) => [json.siteId, pairedItem])).toEqual([
		...[1, 2, 3].map((siteId) => [siteId, { item: 0 }]),
		[4, { item: 2 }],
	]);
});

it("a field 'error' of the service is renamed, and the input item comes first", () => {
	const { output } = outputWith('stopWorkflow');
	const repeatedInput = { siteName: 'Mine', note: 'A' };
	output.add({ itemIndex: 0, position: 0, repeatedInput }, [
		{ siteId: 7, siteName: 'Vik', error: 'B' },
	]);

	const [{ json = {} } = {}] = output.items();
	expect(JSON.stringify(json)).toBe('{"siteName":"Vik","note":"A","siteId":7,"serviceError":"B"}');
});

const TEXTS = { description: 'Do this.\nOr that.', httpCode: '404' };

interface Failed {
	message?: string;
	site?: ErrorItemSite;
	repeatedInput?: IDataObject;
}
const REPEATED = { note: 'A', siteId: 8, siteName: 'Nord' };

it.each<[Setting, Failed, IDataObject]>([
	[
		'continueRegularOutput',
		{ repeatedInput: REPEATED },
		{ ...TEXTS, ...REPEATED, error: 'It failed', ...NAMED },
	],
	[
		'continueRegularOutput',
		{ site: UNKNOWN_SITE, repeatedInput: { ...REPEATED, httpCode: 1 } },
		{ ...TEXTS, error: 'It failed', ...REPEATED },
	],
	[
		'continueErrorOutput',
		{ repeatedInput: { note: 'A' } },
		{ error: 'It failed', message: 'Site Vik (7): It failed. Do this. Or that.' },
	],
	...['Site Vik (7) is gone', 'SITE VIK (7) is gone'].map(
		(error): [Setting, Failed, IDataObject] => [
			...(['continueErrorOutput', { message: error }] as const),
			{ error, message: `${error}. Do this. Or that.` },
		],
	),
	[
		'continueErrorOutput',
		{ site: { siteId: 'x', siteName: null } },
		{ error: 'It failed', message: 'It failed. Do this. Or that.' },
	],
	['tool', { repeatedInput: { note: 'A' } }, { error: 'It failed. Do this.\nOr that.' }],
])('with %s, the failure %j is the item %j', (setting, failed, json) => {
	const { message = 'It failed', site = NAMED, repeatedInput = {} } = failed;
	const { output, errorOf } = outputWith(setting);

	output.fail({ itemIndex: 3, position: 0, repeatedInput }, errorOf(message, 404), site);

	expect(output.items()).toEqual([{ json, pairedItem: { item: 3 } }]);
});

it('with Stop Workflow, a failure is thrown', () => {
	const { output, errorOf } = outputWith('stopWorkflow');

	expect(() => output.fail({ itemIndex: 0, position: 0 }, errorOf('It failed'), NAMED)).toThrow(
		'It failed',
	);
});

const OUTCOMES = [
	{ name: '<b>Vik</b> (7)', result: 'notFound' },
	{ name: '8', result: 'empty' },
] as const;

it('the editor gets notices without markup', () => {
	const { output, hints } = outputWith('stopWorkflow');
	output.setNotices({ outcomes: OUTCOMES });

	expect(hints.map(({ message }) => message)).toEqual([
		'Sites that the service does not know were left out: &lt;b&gt;Vik&lt;/b&gt; (7)',
		'Sites without units: 8',
	]);
	expect(output.items()).toEqual([]);
});

it('an agent learns as plain text why nothing was found', () => {
	const { output } = outputWith('tool');
	output.setNotices({ outcomes: OUTCOMES });
	const message =
		'Nothing was found. Sites that the service does not know were left out: <b>Vik</b> (7). Sites without units: 8';

	expect(output.items()).toEqual([{ json: { message }, pairedItem: { item: 0 } }]);
});

it('an agent learns each reason once, beside the sites that were read', () => {
	const { output, errorOf } = outputWith('tool');
	for (const [position, message] of ['Busy', 'Gone', 'Busy'].entries()) {
		output.fail({ itemIndex: 0, position }, errorOf(message), UNKNOWN_SITE);
	}
	output.add({ itemIndex: 0, position: 3 }, [{ siteId: 7 }, { siteId: 8 }]);

	expect(output.items().map(({ json }) => json.siteId ?? json.error)).toEqual([
		...['Busy', 'Gone'].map((message) => `${message}. Do this.\nOr that.`),
		...[7, 8],
	]);
});
