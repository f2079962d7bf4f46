import { useN8n } from '../../testbed/jest/useN8n';
import { exampleNames, exampleWorkflow } from '../../testbed/n8n/examples';
import { step, workflow } from '../../testbed/workflows';

// Slow: starts n8n.

interface MigrationReport {
	totalWorkflows: number;
	report: { workflowResults: Array<{ ruleId: string; nbAffectedWorkflows: number }> };
}

const { n8n } = useN8n();

it("n8n's migration report for n8n 3 names none of the examples", async () => {
	const names = exampleNames();
	for (const name of names) await n8n.createWorkflow(exampleWorkflow(name));
	// Proves that the rules ran: n8n 3 cannot run this workflow.
	const jsonOutput = '={{ { item: $getPairedItem("Start", 0) } }}';
	const removed = step('Removed', 'set', { mode: 'raw', jsonOutput }, { typeVersion: 3.4 });
	await n8n.createWorkflow(workflow('Removed', [step('Start', 'manualTrigger'), removed]));
	const address = '/rest/breaking-changes/report';
	const { data } = await n8n.get<{ data: MigrationReport }>(address, { version: 'v3' });

	expect(data.totalWorkflows).toBe(names.length + 1);
	expect(data.report.workflowResults).toMatchObject([
		{ ruleId: 'get-paired-item-v3', nbAffectedWorkflows: 1 },
	]);
	await expect(n8n.home.log()).resolves.not.toContain('Breaking change rule failed');
});
