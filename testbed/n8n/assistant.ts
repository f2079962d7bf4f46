import { Client } from '@modelcontextprotocol/sdk/client';
// eslint-disable-next-line import-x/no-unresolved -- the package names a file of types that does not exist; tsc finds another
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';

/** Connects an assistant outside n8n to an MCP server, with this header `Authorization`. */
export async function connectAssistant(url: URL, Authorization: string): Promise<Client> {
	const client = new Client({ name: 'assistant', version: '1.0.0' });
	const transport = new StreamableHTTPClientTransport(url, {
		requestInit: { headers: { Authorization } },
	});
	await client.connect(transport as Transport);
	return client;
}
