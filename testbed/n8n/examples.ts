import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { IDataObject, INodeCredentials } from 'n8n-workflow';
import { CREDENTIAL_NAME, type NewWorkflow } from '../workflows';
import type { N8nInstance } from './instance';

const EXAMPLES = path.resolve(__dirname, '../../examples');

const CREDENTIAL_NAMES = {
	aquacultureApi: CREDENTIAL_NAME,
	smtp: 'Email account',
	httpBasicAuth: 'Form login',
	httpBearerAuth: 'Token for the assistant',
	postgres: 'Postgres account',
};
type CredentialType = keyof typeof CREDENTIAL_NAMES;

export function exampleNames(): string[] {
	return readdirSync(EXAMPLES)
		.filter((file) => file.endsWith('.json'))
		.map((file) => path.basename(file, '.json'));
}

/**
 * Loads a workflow of `examples/` and fills it in.
 *
 * @param credentials by type.
 * @param filledIn parameters by node name.
 */
export function exampleWorkflow(
	name: string,
	credentials: INodeCredentials = {},
	filledIn: Record<string, IDataObject> = {},
): NewWorkflow {
	const text = readFileSync(path.join(EXAMPLES, `${name}.json`), 'utf8');
	const workflow = JSON.parse(text) as NewWorkflow;
	for (const node of workflow.nodes) {
		for (const type of Object.keys(node.credentials ?? {})) {
			Object.assign(node.credentials ?? {}, type in credentials && { [type]: credentials[type] });
		}
		Object.assign(node.parameters, filledIn[node.name]);
	}
	return workflow;
}

/** Creates credentials, and returns references to them. */
export async function createCredentials(
	n8n: N8nInstance,
	fields: Partial<Record<CredentialType, IDataObject>>,
): Promise<INodeCredentials> {
	const credentials: INodeCredentials = {};
	for (const [type, data] of Object.entries(fields)) {
		const name = CREDENTIAL_NAMES[type as CredentialType];
		credentials[type] = { id: await n8n.createCredential(data, type, name), name };
	}
	return credentials;
}
