import {
	ICredentialsHelper,
	NodeHelpers,
	type ICredentialDataDecryptedObject,
	type ICredentialsDecrypted,
	type ICredentialsExpressionResolveValues,
	type ICredentialType,
	type IHttpRequestHelper,
	type IHttpRequestOptions,
	type INode,
	type INodeCredentialsDetails,
	type INodeProperties,
} from 'n8n-workflow';

/** Fields that n8n itself adds to each credential type which signs requests. */
const FIELDS_OF_N8N = ['allowedHttpRequestDomains', 'allowedDomains'];

/**
 * Keeps credentials in memory and treats them as n8n's own helper does (docs/architecture.md, n8n 1 and 2): a token is obtained when the
 * expirable field is empty or a request failed, stored with the credential, and handed out at the next read.
 */
export class CredentialStore extends ICredentialsHelper {
	/** What is stored, by the credential's id. */
	readonly stored = new Map<string, ICredentialDataDecryptedObject>();

	/** Values that a field may refer to as `={{ $secrets.name }}`, the way external secrets are used. */
	readonly secrets = new Map<string, string>();

	/** Whether all that a request was handed is written back beside its token, as n8n 1.123 does. */
	writesAll = false;

	/** How often a credential was read and, in n8n, decrypted. */
	reads = 0;

	/** How often a credential was written and, in n8n, encrypted. */
	writes = 0;

	constructor(private readonly type: ICredentialType) {
		super();
	}

	getParentTypes(): string[] {
		return [];
	}

	isCredentialUsableByNode(): boolean {
		return true;
	}

	getCredentialsProperties(): INodeProperties[] {
		return this.type.properties;
	}

	async getDecrypted(
		_additionalData: unknown,
		{ id }: INodeCredentialsDetails,
		_type?: string,
		_mode?: string,
		_executeData?: unknown,
		_isRaw?: boolean,
		item?: ICredentialsExpressionResolveValues,
	): Promise<ICredentialDataDecryptedObject> {
		this.reads += 1;
		const data = this.stored.get(id ?? '');
		if (!data) throw new Error(`No credential has the id ${String(id)}`);
		const declared = NodeHelpers.getNodeParameters(
			this.type.properties,
			this.resolve(data, item) as never,
			true,
			false,
			null,
			null,
		) as ICredentialDataDecryptedObject;
		const added = Object.entries(data).filter(([field]) => FIELDS_OF_N8N.includes(field));
		return { ...declared, ...Object.fromEntries(added) };
	}

	/** Evaluates the expressions that tests use: `={{ $secrets.name }}` and `={{ $json.name }}`. */
	private resolve(
		data: ICredentialDataDecryptedObject,
		item?: ICredentialsExpressionResolveValues,
	): ICredentialDataDecryptedObject {
		const { json = {} } = item?.connectionInputData[item.itemIndex] ?? {};
		const known = { $secrets: Object.fromEntries(this.secrets), $json: json };
		const entries = Object.entries(data).map(([field, value]) => {
			const [, from, name = ''] = /^=\{\{ (\$\w+)\.(\w+) \}\}$/.exec(String(value)) ?? [];
			return [field, from === undefined ? value : known[from as keyof typeof known][name]];
		});
		return Object.fromEntries(entries) as ICredentialDataDecryptedObject;
	}

	async authenticate(
		credential: ICredentialDataDecryptedObject,
		_type: string,
		options: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		const { authenticate } = this.type;
		return typeof authenticate === 'function' ? await authenticate(credential, options) : options;
	}

	async preAuthentication(
		helpers: IHttpRequestHelper,
		credential: ICredentialDataDecryptedObject,
		type: string,
		node: INode,
		isExpired: boolean,
	): Promise<ICredentialDataDecryptedObject | undefined> {
		const expirable = this.type.properties.find(({ typeOptions }) => typeOptions?.expirable);
		if (!expirable || !this.type.preAuthentication) return undefined;
		if (credential[expirable.name] !== '' && !isExpired) return undefined;

		const output = (await this.type.preAuthentication.call(
			helpers,
			credential,
		)) as ICredentialDataDecryptedObject;
		if (output[expirable.name] === undefined) return undefined;
		const written = this.writesAll ? Object.assign(credential, output) : output;
		await this.updateCredentials(node.credentials?.[type] ?? { id: '', name: '' }, type, written);
		return Object.assign(credential, output);
	}

	async runPreAuthentication(): Promise<undefined> {
		return undefined;
	}

	async updateCredentials(
		{ id }: INodeCredentialsDetails,
		_type: string,
		data: ICredentialDataDecryptedObject,
	): Promise<void> {
		this.writes += 1;
		this.stored.set(id ?? '', { ...this.stored.get(id ?? ''), ...data });
	}

	async getCredentials(): Promise<never> {
		throw new Error('The engine reads decrypted credentials only');
	}

	async updateCredentialsOauthTokenData(): Promise<never> {
		throw new Error('The credential uses no OAuth');
	}

	/** The credential in the form in which n8n's credential test hands it over. */
	async decrypted(id: string): Promise<ICredentialsDecrypted> {
		const data = await this.getDecrypted(undefined, { id, name: '' });
		return { id, name: '', type: this.type.name, data };
	}
}
