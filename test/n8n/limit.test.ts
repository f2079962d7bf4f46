import { DEMO_ACCOUNT } from '../../emulator/server';
import { makeSites } from '../../emulator/sites';
import { itemsOf } from '../../testbed/n8n/instance';
import { useN8n } from '../../testbed/jest/useN8n';
import { httpRequestNode, manualWorkflow } from '../../testbed/workflows';

// Slow: starts n8n and waits for the service's limit in real time.

const sites = makeSites(110);
const { emulator, n8n } = useN8n({
	latencyMs: 50,
	latencyJitter: 0.4,
	requestsPerMinute: 100,
	sites,
});

it('at the limit, 110 items of the HTTP Request node arrive', async () => {
	const siteIds = sites.map(({ siteId }) => siteId);
	const rows = siteIds.map((id) => ({ url: `${emulator.baseUrl}/meta/sites/${id}` }));
	// With the default of 100 requests a minute.
	const account = { baseUrl: emulator.baseUrl, ...DEMO_ACCOUNT };
	const node = httpRequestNode(await n8n.createCredential(account));

	const workflow = await n8n.createWorkflow(manualWorkflow(rows, node));
	const execution = await n8n.finished(await n8n.startManually(workflow), 240_000);

	expect(itemsOf(execution, 'Node').map(({ json }) => json.siteId)).toEqual(siteIds);
	expect(emulator.journal.countRateLimited()).toBe(0);
	expect(emulator.journal.requests).toHaveLength(111);
});
