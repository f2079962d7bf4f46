import { json } from 'node:stream/consumers';
import pLimit from 'p-limit';
import { Pool } from 'undici';

/** What the script is given, as JSON, on its standard input. */
export interface ScriptInput {
	baseUrl: string;
	headers: Record<string, string>;
	siteIds: readonly number[];
}

/** What the script prints. */
export interface ScriptOutput {
	/** From the first request to the last answer. */
	seconds: number;
	/** As they are in the answers. */
	siteIds: number[];
}

/** As many as the node sends at once by default. */
const CONCURRENT_REQUESTS = 20;

const { baseUrl, headers, siteIds } = (await json(process.stdin)) as ScriptInput;
const pool = new Pool(baseUrl, { connections: CONCURRENT_REQUESTS });
const begin = performance.now();
const sites = await pLimit(CONCURRENT_REQUESTS).map(siteIds, async (siteId) => {
	const path = `/meta/sites/${siteId}?$include=units,info`;
	const { body } = await pool.request({ method: 'GET', path, headers });
	return (await body.json()) as { siteId: number };
});
const seconds = (performance.now() - begin) / 1000;
const output: ScriptOutput = { seconds, siteIds: sites.map(({ siteId }) => siteId) };
console.log(JSON.stringify(output));
await pool.close();
