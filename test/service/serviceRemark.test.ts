import { redactor } from '../../service/redact';
import { withRemark } from '../../service/serviceRemark';

const TRACE = '00-49b5250fc418ce6cf5086647a2d6ff62-81a414175e6d8090-01';
const MESSAGE = 'Entity violates one or more uniqueness constraints.';

const remark = (body: unknown) => withRemark('Do this.', body, redactor(['s3cret  pass']));

it.each<[string, unknown, string]>([
	[
		'its message, and the trace ID by which the operator finds the request',
		{ code: 'entity_not_unique', message: MESSAGE, traceId: TRACE, details: { a: 1 } },
		` The service says: "${MESSAGE}" Trace ID for its operator: ${TRACE}.`,
	],
	[
		'its code where it has no message',
		{ code: 'entity_not_unique', message: ' ' },
		' The service says: "entity_not_unique".',
	],
	...['Too many.', 'Too many!', 'Why?'].map((message): [string, unknown, string] => [
		'a whole sentence',
		{ message },
		` The service says: "${message}"`,
	]),
	['on one line', { message: '  Not\r\n\tunique ' }, ' The service says: "Not unique".'],
	[
		'of a readable length',
		{ message: 'm'.repeat(300) },
		` The service says: "${'m'.repeat(300)}".`,
	],
	[
		'cut to a readable length',
		{ message: 'm'.repeat(301), traceId: 't'.repeat(101) },
		` The service says: "${'m'.repeat(299)}…" Trace ID for its operator: ${'t'.repeat(99)}….`,
	],
	[
		'without half a character where it is cut',
		{ message: `${'m'.repeat(298)}🐟🐟`, traceId: `${'t'.repeat(98)}🐟🐟` },
		` The service says: "${'m'.repeat(298)}…" Trace ID for its operator: ${'t'.repeat(98)}….`,
	],
	[
		'a code of a readable length',
		{ code: 'c'.repeat(101) },
		` The service says: "${'c'.repeat(99)}…"`,
	],
	[
		'without a secret in a message',
		{ message: 'Wrong: s3cret  pass' },
		' The service says: "Wrong: *****".',
	],
	['without a secret in a code', { code: 's3cret  pass' }, ' The service says: "*****".'],
	[
		'without a secret in a trace ID',
		{ traceId: 's3cret  pass' },
		' Trace ID for its operator: *****.',
	],
	[
		'without a part of a secret where it is cut',
		{ message: `${'m'.repeat(295)}s3cret  pass` },
		` The service says: "${'m'.repeat(295)}*****".`,
	],
	...[
		...[undefined, null, 'Not unique', 7, true, [], ['Not unique'], {}],
		{ code: '', message: '\n', traceId: ' ' },
		{ code: 7, message: { text: 'Not unique' }, traceId: null },
		{ error: { message: 'Not unique' } },
	].map((body): [string, unknown, string] => ['nothing', body, '']),
])('what the service says of a failure is %s: %j', (_what, body, told) => {
	expect(remark(body)).toBe(`Do this.${told}`);
});
