import { redactor } from '../../shared/redact';
import { withRemark } from '../../shared/serviceRemark';

const TRACE = '00-49b5250fc418ce6cf5086647a2d6ff62-81a414175e6d8090-01';
const MESSAGE = 'Entity violates one or more uniqueness constraints.';
const redact = redactor(['s3cret pass']);

const remark = (body: unknown) => withRemark('Do this.', body, redact);

describe('what the service says of a failure', () => {
	it('is its message, and the trace ID by which the operator finds the request', () => {
		const body = { code: 'entity_not_unique', message: MESSAGE, traceId: TRACE, details: { a: 1 } };

		expect(remark(body)).toBe(
			`Do this. The service says: "${MESSAGE}" Trace ID for its operator: ${TRACE}.`,
		);
	});

	it('is its code where it has no message', () => {
		expect(remark({ code: 'entity_not_unique', message: ' ' })).toBe(
			'Do this. The service says: "entity_not_unique".',
		);
	});

	it.each<[string, string]>([
		['Too many', '"Too many".'],
		['Too many.', '"Too many."'],
		['Too many!', '"Too many!"'],
		['Why?', '"Why?"'],
	])('is a whole sentence, so that another one can follow: %s', (message, said) => {
		expect(remark({ message })).toBe(`Do this. The service says: ${said}`);
	});

	it('stands on one line', () => {
		expect(remark({ message: '  Not\r\n\tunique.\n' })).toBe(
			'Do this. The service says: "Not unique."',
		);
	});

	it.each<unknown>([
		undefined,
		null,
		'Not unique',
		7,
		true,
		[],
		['Not unique'],
		{},
		{ code: '', message: '\n', traceId: ' ' },
		{ code: 7, message: { text: 'Not unique' }, traceId: null },
		{ error: { message: 'Not unique' } },
	])('is nothing where the body is %j', (body) => {
		expect(remark(body)).toBe('Do this.');
	});

	it('is cut to a readable length', () => {
		const body = { message: 'm'.repeat(301), traceId: 't'.repeat(101) };

		expect(remark(body)).toBe(
			`Do this. The service says: "${'m'.repeat(299)}…" Trace ID for its operator: ${'t'.repeat(99)}….`,
		);
		expect(remark({ message: 'm'.repeat(300) })).toContain(`"${'m'.repeat(300)}".`);
		expect(remark({ code: 'c'.repeat(101) })).toContain(`"${'c'.repeat(99)}…"`);
	});

	it.each<[string, unknown, string]>([
		['in a message', { message: 'Wrong: s3cret pass' }, '"Wrong: *****".'],
		['in a code', { code: 's3cret pass' }, '"*****".'],
		['in a trace ID', { traceId: 's3cret pass' }, 'operator: *****.'],
		['where the message is cut', { message: `${'m'.repeat(295)}s3cret pass` }, 'm*****".'],
	])('has no secret %s', (_where, body, told) => {
		expect(remark(body)).toContain(told);
		expect(remark(body)).not.toContain('s3c');
	});

	it('has no secret that holds more than one space in a row', () => {
		const text = withRemark('', { message: 'Wrong: s3cret  pass' }, redactor(['s3cret  pass']));

		expect(text).toContain('"Wrong: *****"');
	});
});
