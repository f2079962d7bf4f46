import { Readable } from 'node:stream';
import { createUnzip } from 'node:zlib';
import { readResponse } from '../../../../nodes/Aquaculture/service/response';
import { siteDocument } from '../../../../nodes/Aquaculture/service/site';

const document = siteDocument({ siteId: 1001, siteName: null }, []);

async function read(statusCode: number, body: Readable, secrets = { password: '', token: '' }) {
	return await readResponse({ statusCode, headers: {}, body }, document, secrets);
}

it.each([
	['test', { siteId: 1001, siteName: 'Latest', path: 'C:\\test' }],
	['a-token-of-many-signs', { siteId: 1001, siteName: 'Latest', echo: 'a-token-of-many-signs' }],
])('masks the token %s in data only if it is long, but always in failures', async (token, site) => {
	const secrets = { password: 'Latest', token };
	const body = () => Readable.from([Buffer.from(JSON.stringify(site))]);

	const { value } = await read(200, body(), secrets);
	const { failure } = await read(500, body(), secrets);

	const masked = { ...site, ...('echo' in site && { echo: '*****' }) };
	expect(value?.json).toEqual(masked);
	expect(JSON.stringify(failure)).not.toContain(token);
	expect(JSON.stringify(failure)).not.toContain('Latest');
});

it('cannot read an answer that is not compressed as it says', async () => {
	const body = Readable.from([Buffer.from('{"siteId":1001}')]).pipe(createUnzip());

	const { failure } = await read(200, body);

	expect(failure).toMatchObject({ message: 'The answer for site 1001 cannot be read' });
	expect(failure?.kind).toBeUndefined();
});

it('names an exception and where it was thrown, without its text', async () => {
	const failing = {
		...document,
		check: () => {
			throw new RangeError('line 1 of Lachs\n    at Lachs (lachs.js:1:1)');
		},
	};
	const body = Readable.from([Buffer.from('{}')]);

	const answer = { statusCode: 200, headers: {}, body };
	const { failure } = await readResponse(answer, failing, { password: '', token: '' });

	expect(failure?.message).toBe('The answer for site 1001 could not be processed');
	expect(failure?.description).toMatch(/: RangeError at response\.test\.ts:\d+:\d+\.$/);
});
