import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/** Connects an assistant outside n8n to an MCP server, with this header `Authorization`. */
export async function connectAssistant(url: URL, Authorization: string): Promise<Client> {
	const client = new Client({ name: 'assistant', version: '1.0.0' });
	const transport = new StreamableHTTPClientTransport(url, {
		requestInit: { headers: { Authorization } },
	});
	await client.connect(transport);
	return client;
}
