import type { INode } from 'n8n-workflow';
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
