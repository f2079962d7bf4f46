import { faultsOfChanges } from '../../../scripts/soak/changes';

const LICENCES = ['a', 'b', 'c', 'd'];
const told = (...steps: string[]) => steps.map(([oldValue, newValue]) => ({ oldValue, newValue }));

describe('the changes that the trigger tells', () => {
	it.each([[['ab', 'bc', 'cd']], [['ab', 'bd']], [['ad']]])('are right in %j', (steps) => {
		expect(faultsOfChanges(told(...steps), LICENCES)).toEqual([]);
	});

	it.each([
		['the last one is missing', ['ab', 'bc']],
		['one is missing on the way', ['ab', 'cd']],
		['one comes twice', ['ab', 'ab', 'bd']],
		['one goes back', ['ac', 'cb', 'bd']],
		['one is made up', ['ax', 'xd']],
	])('are wrong where %s', (_what, steps) => {
		expect(faultsOfChanges(told(...steps), LICENCES)).not.toEqual([]);
	});
});
