/** A credential without a token, as n8n hands it over. */
export const credentialFor = (baseUrl: string, username: string, password = 'password') => ({
	baseUrl,
	username,
	password,
	versionHeader: 'Service-Version',
	tokenVersion: '2025-01-01',
	dataVersion: '2023-01-01',
});
