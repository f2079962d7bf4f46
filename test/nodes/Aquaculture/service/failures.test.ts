import { identifyFailure } from '../../../../nodes/Aquaculture/service/failures';
import { MESSAGES } from '../../../../nodes/Aquaculture/messages/messages';
import { documentSubject } from '../../../../nodes/Aquaculture/messages/subject';

it.each([
	[{ message: '', description: '', statusCode: 404 }, '404'],
	[{ ...MESSAGES.answer.html(documentSubject('unit 7')), statusCode: 200 }, 'html'],
	[{ message: 'Something', description: '' }, ''],
])('the failure %j is identified by %j', (failure, key) => {
	expect(identifyFailure(failure)).toBe(key);
});
