import type { INodeProperties } from 'n8n-workflow';
import { findOperation, operations, properties } from '../../../nodes/Aquaculture/actions';
import { Aquaculture } from '../../../nodes/Aquaculture/Aquaculture.node';
import { AquacultureTrigger } from '../../../nodes/Aquaculture/AquacultureTrigger.node';
import { JARGON } from '../../docs/spokenTexts';

const { description } = new Aquaculture();
const offered = (properties.find(({ name }) => name === 'operation')?.options ?? []) as Array<{
	name: string;
	value: string;
	action: string;
	description: string;
}>;

describe('the operations', () => {
	it('are those that were decided, and each has an output schema', () => {
		const decided = ['getManySites', 'getSite', 'getUnits'];

		expect(offered.map(({ value }) => value)).toEqual(decided);
		expect(Object.keys(operations)).toEqual(decided);
	});

	it.each(['__proto__', 'constructor', 'hasOwnProperty', '', undefined, null, 7])(
		'do not include %p',
		(name) => {
			expect(findOperation(name)).toBeUndefined();
		},
	);

	it.each(offered)(
		'$name has the texts that n8n asks for',
		({ name, action, description: text }) => {
			expect(name).toMatch(/^([A-Z][a-z]+ ?)+$/);
			expect(action).toMatch(/^[A-Z][a-z ]+ by ID$/);
			expect(text).toMatch(/^[A-Z].*[^.]$/);
		},
	);
});

const trigger = new AquacultureTrigger().description;

describe('the texts of the panels', () => {
	const all: INodeProperties[] = [...properties, ...trigger.properties].flatMap((property) => [
		property,
		...(property.type === 'collection' ? (property.options as INodeProperties[]) : []),
	]);

	it.each(all.map((property) => [property.displayName, property] as const))(
		'%s',
		(label, property) => {
			expect(label).toMatch(/^([A-Z]\w*)( ([A-Z]\w*|per|on))*$/);
			if (property.type === 'boolean') expect(property.description).toMatch(/^Whether /);
			if (property.type === 'string') expect(property.placeholder).toMatch(/^e\.g\. /);
			if (property.description) {
				expect(property.description).not.toMatch(JARGON);
			}
		},
	);

	it('name the parameters as decided', () => {
		const namesOf = (operation: string) =>
			properties
				.filter(({ displayOptions }) => displayOptions?.show?.operation?.includes(operation))
				.map(({ name }) => name);

		const parts = ['includeInfo', 'includeUnits', 'simplify', 'options'];
		expect(namesOf('getSite')).toEqual(['siteId', ...parts]);
		expect(namesOf('getManySites')).toEqual(['siteIds', ...parts]);
		expect(namesOf('getUnits')).toEqual(['siteIds', 'includeSiteInfo', 'options']);
		expect(trigger.properties.map(({ name }) => name)).toEqual([
			'siteIds',
			'changes',
			'infoFields',
			'emitCurrentState',
			'options',
		]);
	});
});

it('the node can be used as a tool and needs the credential', () => {
	expect(description).toMatchObject({
		name: 'aquaculture',
		usableAsTool: true,
		credentials: [{ name: 'aquacultureApi', required: true }],
	});
});

it('the trigger polls, and needs the credential', () => {
	expect(trigger).toMatchObject({
		name: 'aquacultureTrigger',
		group: ['trigger'],
		polling: true,
		inputs: [],
		credentials: [{ name: 'aquacultureApi', required: true }],
	});
	expect(trigger).not.toHaveProperty('usableAsTool');
});
