import { NodeOperationError } from 'n8n-workflow';
import { agentItem, isTool, nothingFound } from '../../../nodes/Aquaculture/tool';
import { nodeOf } from './nodeOf';

describe('a tool', () => {
	it('is told by its type', () => {
		expect(isTool(nodeOf('n8n-nodes-aquaculture.aquacultureTool'))).toBe(true);
		expect(isTool(nodeOf('n8n-nodes-aquaculture.aquaculture'))).toBe(false);
		expect(isTool(nodeOf('Toolbox.aquaculture'))).toBe(false);
	});

	it.each([
		['Do this.', 'It happened. Do this.'],
		['', 'It happened'],
	])('has one message for its agent, with the description "%s"', (description, message) => {
		const error = new NodeOperationError(nodeOf(), 'It happened', { description });

		expect(agentItem(error, {}, 2)).toEqual({
			json: { error: message },
			error,
			pairedItem: { item: 2 },
		});
		expect(error.message).toBe(message);
	});

	it('says that nothing was found, and why', () => {
		expect(nothingFound([])).toEqual({
			json: { message: 'Nothing was found' },
			pairedItem: { item: 0 },
		});
		expect(nothingFound([{ message: 'It is gone' }])).toMatchObject({
			json: { message: 'Nothing was found. It is gone' },
		});
	});
});
