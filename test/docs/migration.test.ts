import outputs from '../outputs.json';
import type { Shape } from '../shape';
import { PAGES } from './pages';

const text = PAGES.find(({ file }) => file === 'docs/migration.md')?.text ?? '';

/** Each column with its types, as the page names them: `units[].unitId` number. */
function columnsOf(shape: Shape, place = ''): string[] {
	if (Array.isArray(shape)) return shape.flatMap((element) => columnsOf(element, `${place}[]`));
	if (typeof shape === 'string') return [`\`${place}\` ${shape.replaceAll(' | ', ' or ')}`];
	return Object.entries(shape).flatMap(([column, inner]) =>
		columnsOf(inner, place ? `${place}.${column}` : column),
	);
}

describe('docs/migration.md', () => {
	it('lists the columns of test/outputs.json', () => {
		const listed = text.split('\n').filter((line) => line.startsWith('- **'));

		expect(listed).toEqual(
			Object.entries(outputs)
				.filter(([output]) => output !== 'Aquaculture Trigger, empty columns')
				.map(([output, shape]) => `- **${output}**: ${columnsOf(shape).join(', ')}`),
		);
	});
});
