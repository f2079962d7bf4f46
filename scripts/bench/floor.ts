import { Agent } from 'node:http';
import axios from 'axios';
import pLimit from 'p-limit';
import { Pool } from 'undici';

/** What a bare script has read, as it prints it. */
export interface FloorResult {
	/** Time from the first request to the last answer. */
	seconds: number;
	/** As they stand in the answers. */
	siteIds: number[];
}

/** What a bare script is given, as JSON, on its standard input. */
export interface FloorOrder {
	client: 'axios' | 'undici';
	/** How many requests it keeps under way. */
	concurrency: number;
	baseUrl: string;
	headers: Record<string, string>;
	siteIds: readonly number[];
}

type Get = (path: string) => Promise<{ siteId: number }>;

const CLIENTS: Record<FloorOrder['client'], (order: FloorOrder) => Get> = {
	axios: ({ baseUrl, headers, concurrency }) => {
		const httpAgent = new Agent({ keepAlive: true, maxSockets: concurrency });
		const client = axios.create({ baseURL: baseUrl, headers, httpAgent });
		return async (path) => (await client.get<{ siteId: number }>(path)).data;
	},
	undici: ({ baseUrl, headers, concurrency }) => {
		const pool = new Pool(baseUrl, { connections: concurrency });
		return async (path) => {
			const { body } = await pool.request({ method: 'GET', path, headers });
			return (await body.json()) as { siteId: number };
		};
	},
};

async function main(): Promise<void> {
	const order = JSON.parse(await readStandardInput()) as FloorOrder;
	const get = CLIENTS[order.client](order);
	const limit = pLimit(order.concurrency);

	const begin = performance.now();
	const sites = await limit.map(
		order.siteIds,
		async (siteId) => await get(`/meta/sites/${siteId}?$include=units,info`),
	);
	const result: FloorResult = {
		seconds: (performance.now() - begin) / 1000,
		siteIds: sites.map(({ siteId }) => siteId),
	};
	console.log(JSON.stringify(result));
	process.exit();
}

async function readStandardInput(): Promise<string> {
	const chunks: Buffer[] = [];
	for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
	return Buffer.concat(chunks).toString();
}

void main();
