import fc from 'fast-check';
import { redactor } from '../../shared/redact';

describe('redactor', () => {
	it('takes a secret out in every spelling in which an answer may repeat it', () => {
		const secret = fc.string({ unit: 'grapheme', minLength: 4 });
		fc.assert(
			fc.property(secret, fc.string(), (password, around) => {
				const redact = redactor([password]);
				for (const spelling of [
					password,
					JSON.stringify(password).slice(1, -1),
					encodeURIComponent(password.toWellFormed()),
				]) {
					expect(redact(`${around}${spelling}${around}`)).toContain('*****');
					expect(redact(spelling)).toBe('*****');
				}
			}),
		);
	});

	it.each([[[]], [['', undefined, null, 7]]])('changes nothing without secrets (%j)', (secrets) => {
		expect(redactor(secrets)('text 7 null')).toBe('text 7 null');
	});

	it('takes a secret out where JSON escapes it', () => {
		expect(redactor(['pass"word\n'])('{"sent":"pass\\"word\\n"}')).toBe('{"sent":"*****"}');
	});

	it('takes the longer of two overlapping secrets first', () => {
		expect(redactor(['fish', 'fish-and-chips'])('fish-and-chips')).toBe('*****');
	});
});
