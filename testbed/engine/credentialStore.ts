import {
	NodeHelpers,
	type ICredentialDataDecryptedObject,
	type ICredentialsExpressionResolveValues,
	type ICredentialsHelper,
	type ICredentialType,
	type IHttpRequestHelper,
	type IHttpRequestOptions,
	type INode,
	type INodeCredentialsDetails,
} from 'n8n-workflow';

/** n8n adds these fields to each credential type that signs requests. */
const N8N_FIELDS = ['allowedHttpRequestDomains', 'allowedDomains'];

/**
 * Keeps credentials in memory. Like n8n's helper (1.123 and 2.40), it calls `preAuthentication` when the expirable field is
 * empty or a request failed, and stores what that returns only if it contains the expirable field. n8n-core calls the other
 * methods of the interface for OAuth only, or not at all.
 */
export class CredentialStore implements Partial<ICredentialsHelper> {
	/** Credentials by ID. */
	readonly stored = new Map<string, ICredentialDataDecryptedObject>();

	/** External secrets, for expressions such as `={{ $secrets.name }}`. */
	readonly secrets = new Map<string, string>();

	reads = 0;

	constructor(private readonly type: ICredentialType) {}

	getParentTypes(): string[] {
		return [];
	}

	isCredentialUsableByNode(): boolean {
		return true;
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
		const added = Object.entries(data).filter(([field]) => N8N_FIELDS.includes(field));
		return { ...declared, ...Object.fromEntries(added) };
	}

	/** Evaluates `={{ $secrets.name }}` and `={{ $json.name }}`, which is all that tests use. */
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
		const id = node.credentials?.[type]?.id ?? '';
		this.stored.set(id, { ...this.stored.get(id), ...output });
		return Object.assign(credential, output);
	}
}
