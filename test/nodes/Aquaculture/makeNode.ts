import type { INode } from 'n8n-workflow';

export const makeNode = (type = 'n8n-nodes-aquaculture.aquaculture'): INode => ({
	id: 'node',
	name: 'Aquaculture',
	type,
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
});
