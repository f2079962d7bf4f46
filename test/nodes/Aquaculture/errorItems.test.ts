import { NodeOperationError } from 'n8n-workflow';
import { agentItem } from '../../../nodes/Aquaculture/errorItems';
import { nodeOf } from './nodeOf';

it.each([
	['Do this.', 'It happened. Do this.'],
	['', 'It happened'],
])('an agent gets one message, with the description "%s"', (description, message) => {
	const error = new NodeOperationError(nodeOf(), 'It happened', { description });

	expect(agentItem(error, {}, 2)).toEqual({
		json: { error: message },
		error,
		pairedItem: { item: 2 },
	});
	expect(error.message).toBe(message);
});
