import type { INode } from 'n8n-workflow';
import type { Failure } from '../../../../nodes/Aquaculture/messages/failure';
import { inputError, requestError } from '../../../../nodes/Aquaculture/n8n/errors';
import { NODE_TYPE, step } from '../../../../testbed/workflows';

const NODE: INode = { ...step('Aquaculture', NODE_TYPE), position: [0, 0] };

it('the error of a request keeps its message, item and response', () => {
	const body = { why: ['gone'] };
	const text = { message: 'ETIMEDOUT is gone', description: 'Do this.' };

	const error = requestError(NODE, { ...text, statusCode: 404, body }, 3);

	expect(error).toMatchObject({ ...text, httpCode: '404', context: { itemIndex: 3, data: body } });
	expect(error.context.data).not.toBe(body);
});

it('an error has a plain description, and an HTML template for the editor', () => {
	const description = '<siteId> & `x`\n"%%PARAMETER%%"';
	const html = '&lt;siteId&gt; &amp; &#96;x&#96;<br>&quot;&#37;&#37;PARAMETER&#37;&#37;&quot;';

	for (const error of [
		requestError(NODE, { message: 'It failed', description }),
		inputError(NODE, { message: 'It failed', description }),
	]) {
		expect(error).toMatchObject({ description, context: { descriptionTemplate: html } });
	}
});

it.each<[typeof requestError | typeof inputError, Partial<Failure>, object | undefined]>([
	[
		requestError,
		{ cause: 'rate-limited', waitMs: 5000 },
		{ cause: 'rate-limited', retryAfterMs: 5000 },
	],
	[requestError, { cause: 'temporarily-unavailable' }, { cause: 'temporarily-unavailable' }],
	[requestError, { cause: 'credential-invalid', waitMs: 5000 }, { cause: 'credential-invalid' }],
	[requestError, {}, undefined],
	[inputError, {}, { cause: 'configuration-invalid' }],
	[inputError, { cause: 'credential-invalid' }, { cause: 'credential-invalid' }],
])('%O tells n8n the cause of %j: %j', (createError, given, failure) => {
	const error = createError(NODE, { message: 'It failed', description: 'Do this.', ...given });

	expect((error as { failure?: object }).failure).toEqual(failure);
});
