import { inputError, requestError } from '../../../nodes/Aquaculture/errors';
import { nodeOf } from './nodeOf';

const NODE = nodeOf();

describe('an error', () => {
	it('of input keeps its words, whatever n8n spots in them, and its item', () => {
		const message = 'The site ENOENT does not exist';

		expect(inputError(NODE, message, 'Do this.', 3)).toMatchObject({
			message,
			description: 'Do this.',
			context: { itemIndex: 3 },
		});
		expect(inputError(NODE, message, 'Do this.').context.itemIndex).toBeUndefined();
	});

	it('of a request keeps its words, status, body and item', () => {
		const body = { why: ['gone'] };
		const error = requestError(
			NODE,
			{ message: 'ETIMEDOUT is gone', description: 'Do this.', statusCode: 404, body },
			3,
		);

		expect(error).toMatchObject({
			message: 'ETIMEDOUT is gone',
			description: 'Do this.',
			httpCode: '404',
			context: { itemIndex: 3, data: body },
		});
		expect(error.context.data).not.toBe(body);
	});

	it('of a request that was not answered has neither status nor body', () => {
		const { httpCode, context } = requestError(NODE, { message: 'Gone', description: '' });

		expect(httpCode).toBeNull();
		expect([context.itemIndex, context.data]).toEqual([undefined, undefined]);
	});
});
