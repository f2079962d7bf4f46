import type {
	IAuthenticate,
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	ICredentialType,
	IDataObject,
	IHttpRequestHelper,
	INodeProperties,
} from 'n8n-workflow';
import { MAX_REQUESTS_PER_MINUTE, REQUESTS_PER_MINUTE, VERSION_HEADER } from '../service/requestValues';
import { TOKEN_PATH } from '../service/tokenEndpoint';

/** How requests name the version of the interface. */
const versionFields: INodeProperties[] = [
	{
		displayName: 'Version Header Name',
		name: 'versionHeader',
		type: 'string',
		required: true,
		default: VERSION_HEADER,
		placeholder: 'e.g. Service-Version',
		description:
			'The header in which each request names the version of the interface. Service-Version is a placeholder: enter the exact name that the operator of the service gives you.',
	},
	{
		displayName: 'Token Request Version',
		name: 'tokenVersion',
		type: 'string',
		required: true,
		default: '2025-01-01',
		placeholder: 'e.g. 2025-01-01',
		description: 'The version that the login uses, as a date in the form YYYY-MM-DD',
	},
	{
		displayName: 'Data Request Version',
		name: 'dataVersion',
		type: 'string',
		required: true,
		default: '2023-01-01',
		placeholder: 'e.g. 2023-01-01',
		description: 'The version that data requests use, as a date in the form YYYY-MM-DD',
	},
];

const requestsPerMinuteField: INodeProperties = {
	displayName: 'Requests per Minute',
	name: 'requestsPerMinute',
	type: 'number',
	typeOptions: { minValue: 0, maxValue: MAX_REQUESTS_PER_MINUTE, numberPrecision: 0 },
	default: REQUESTS_PER_MINUTE,
	description:
		'How many requests a minute the account may send. All workflows that use it share this limit. The service may ban an account that exceeds its own limit. 0 means no limit.',
};

const siteListAddressField: INodeProperties = {
	displayName: 'Site List Address',
	name: 'siteListAddress',
	type: 'string',
	default: '',
	placeholder: 'e.g. /list/of/sites?all=true',
	description:
		"Optional: where the service lists the sites of the account, so that nobody has to type them. Ask the operator of the service for this address, and enter the part after 'Base URL'.",
};

const knownSitesField: INodeProperties = {
	displayName: 'Known Sites',
	name: 'knownSites',
	type: 'string',
	typeOptions: { rows: 5 },
	default: '',
	placeholder: 'e.g. 1001 Storvågen',
	description:
		"The sites to choose from by name: one site per line, its ID and then a name of your choice. Two columns pasted from a spreadsheet work. Sites in the list at 'Site List Address' need no line here, unless you want another name.",
};

/** How strictly the connection is secured. */
const securityFields: INodeProperties[] = [
	{
		displayName: 'Allow Plain HTTP',
		name: 'allowPlainHttp',
		type: 'boolean',
		default: false,
		description:
			"Whether to allow a 'Base URL' that begins with http://, over which the password is sent unencrypted",
	},
	{
		displayName: 'Ignore SSL Issues (Insecure)',
		name: 'allowUnauthorizedCerts',
		type: 'boolean',
		default: false,
		description: 'Whether to connect even if the certificate of the service is not trusted',
	},
];

export class AquacultureApi implements ICredentialType {
	name = 'aquacultureApi';

	displayName = 'Aquaculture API';

	icon = {
		light: 'file:../icons/aquaculture.svg',
		dark: 'file:../icons/aquaculture.dark.svg',
	} as const;

	documentationUrl = 'https://github.com/n8n-nodes-aquaculture/n8n-nodes-aquaculture#credentials';

	properties: INodeProperties[] = [
		{
			displayName:
				"The operator of the service gives you the address, the username, the password and the name of the version header. Enter your sites in 'Known Sites' to choose them by name. Leave the other fields as they are unless the operator says otherwise.",
			name: 'source',
			type: 'notice',
			default: '',
		},
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. https://data.example.com',
			description: 'The address of the service, up to the host',
		},
		{
			displayName: 'Username',
			name: 'username',
			type: 'string',
			required: true,
			default: '',
		},
		{
			displayName: 'Password',
			name: 'password',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
		},
		...versionFields,
		requestsPerMinuteField,
		siteListAddressField,
		knownSitesField,
		...securityFields,
		{
			displayName: 'Access Token',
			name: 'accessToken',
			type: 'hidden',
			typeOptions: { expirable: true, password: true },
			default: '',
		},
		{
			displayName: 'Token Binding',
			name: 'tokenBinding',
			type: 'hidden',
			typeOptions: { password: true },
			default: '',
		},
	];

	async preAuthentication(
		this: IHttpRequestHelper,
		credential: ICredentialDataDecryptedObject,
	): Promise<IDataObject> {
		const { obtainToken } = await import('./token/n8nHooks');
		return await obtainToken(this.helpers, credential);
	}

	authenticate: IAuthenticate = async (credential, requestOptions) => {
		const { signRequest } = await import('./token/n8nHooks');
		return await signRequest(credential, requestOptions);
	};

	/** `authenticate` recognises it, has a new token obtained, and fills in username and password. */
	test: ICredentialTestRequest = {
		request: { method: 'POST', baseURL: '={{$credentials.baseUrl}}', url: TOKEN_PATH },
	};
}
