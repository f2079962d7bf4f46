import { AquacultureApi } from '../../credentials/AquacultureApi.credentials';
import { omitTexts } from '../omitTexts';

const credential = new AquacultureApi();

it('the credential keeps the names, types and defaults of its fields', () => {
	const text = { type: 'string', default: '' };
	const hidden = { type: 'hidden', default: '' };
	const off = { type: 'boolean', default: false };

	expect(omitTexts(credential.properties)).toEqual([
		{ name: 'source', type: 'notice', default: '' },
		{ name: 'baseUrl', ...text, required: true },
		{ name: 'username', ...text, required: true },
		{ name: 'password', ...text, required: true, typeOptions: { password: true } },
		{ name: 'knownSites', ...text, typeOptions: { rows: 5 } },
		{ name: 'versionHeader', ...text, default: 'Service-Version', required: true },
		{ name: 'tokenVersion', ...text, default: '2025-01-01', required: true },
		{ name: 'dataVersion', ...text, default: '2023-01-01', required: true },
		{
			name: 'requestsPerMinute',
			type: 'number',
			default: 100,
			typeOptions: { minValue: 1, maxValue: 10_000, numberPrecision: 0 },
		},
		{ name: 'allowPlainHttp', ...off },
		{ name: 'allowUnauthorizedCerts', ...off },
		{ name: 'accessToken', ...hidden, typeOptions: { expirable: true, password: true } },
	]);
});

it('the credential keeps its name and links to its documentation', () => {
	expect(credential.name).toBe('aquacultureApi');
	expect(credential.documentationUrl).toMatch(/^https:\/\/.+#credentials$/);
});

it('the credential leaves its test to the node', () => {
	expect(credential).not.toHaveProperty('test');
});
