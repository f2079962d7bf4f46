import { parseBody } from '../../../../nodes/Aquaculture/service/body';
import { checkAnswer, isSuccess } from '../../../../nodes/Aquaculture/service/answer';
import { siteDocument } from '../../../../nodes/Aquaculture/service/site';

it('a success is 200 to 299', () => {
	expect([199, 200, 299, 300].map(isSuccess)).toEqual([false, true, true, false]);
});

const document = siteDocument({ siteId: 1001, siteName: null }, []);

it.each([
	['test', { siteId: 1001, siteName: 'Latest', path: 'C:\\test' }],
	['a-token-of-many-signs', { siteId: 1001, siteName: 'Latest', echo: 'a-token-of-many-signs' }],
])('masks the token %s in data only if it is long, but always in failures', async (token, site) => {
	const secrets = { password: 'Latest', token };
	const body = { value: parseBody(Buffer.from(JSON.stringify(site))) };
	const check = async (statusCode: number) =>
		await checkAnswer({ statusCode, headers: {}, body }, document, secrets);

	const { value } = await check(200);
	const { failure } = await check(500);

	const masked = { ...site, ...('echo' in site && { echo: '*****' }) };
	expect(value?.json).toEqual(masked);
	expect(JSON.stringify(failure)).not.toContain(token);
	expect(JSON.stringify(failure)).not.toContain('Latest');
});

it.each([
	['', 'The answer for site 1001 is empty'],
	['<p>', 'The answer for site 1001 is a web page'],
	['{', 'The answer for site 1001 is not JSON in UTF-8'],
	['{"siteId":7,"code":"1"}', 'The answer for site 1001 cannot be used: it is about site 7'],
])('the body %j of a successful answer is a failure: %s', async (text, message) => {
	const body = { value: parseBody(Buffer.from(text)) };

	const { failure } = await checkAnswer({ statusCode: 200, headers: {}, body }, document, {
		...{ password: 'secret', token: 'token' },
	});

	expect(failure).toMatchObject({ message, statusCode: 200 });
	expect(failure?.serviceMessage).toBe(text.includes('code') ? '1' : undefined);
	expect(JSON.stringify(failure?.body)).toBe(text.endsWith('}') ? text : JSON.stringify(text));
});
