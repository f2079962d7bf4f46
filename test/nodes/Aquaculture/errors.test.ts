import { requestError } from '../../../nodes/Aquaculture/errors';
import { nodeOf } from './nodeOf';

it('the error of a request keeps its words, whatever n8n spots in them, its item, and what was answered', () => {
	const body = { why: ['gone'] };
	const text = { message: 'ETIMEDOUT is gone', description: 'Do this.' };

	const error = requestError(nodeOf(), { ...text, statusCode: 404, body }, 3);

	expect(error).toMatchObject({ ...text, httpCode: '404', context: { itemIndex: 3, data: body } });
	expect(error.context.data).not.toBe(body);
});
