import { identifyFailure } from '../../../../nodes/Aquaculture/service/failures';
import { MESSAGES } from '../../../../nodes/Aquaculture/messages/messages';
import { documentSubject } from '../../../../nodes/Aquaculture/messages/subject';

it.each([
	['with a status by its status', { message: '', description: '', statusCode: 404 }, '404'],
	[
		'with a key by its key, even if it has a status',
		{ ...MESSAGES.answer.html(documentSubject('unit 7')), statusCode: 200 },
		'html',
	],
	['with neither by nothing', { message: 'Something', description: '' }, ''],
])('identifies a failure %s', (_what, failure, key) => {
	expect(identifyFailure(failure)).toBe(key);
});
