import { UnauthorizedDocuments } from '../../../../nodes/Aquaculture/login/unauthorizedDocuments';
import { MINUTE_MS } from '../../../../nodes/Aquaculture/utils/time';
import { VirtualClock } from '../../../../testbed/simulation/virtualClock';

it('a document is remembered for five minutes after it was added last, unless it is removed', async () => {
	const clock = new VirtualClock();
	const documents = new UnauthorizedDocuments(clock);
	const remembered = () => ['a', 'b', 'c'].filter((path) => documents.has(path));
	documents.add('a');
	await clock.advance(MINUTE_MS);
	documents.add('b');
	documents.add('c');
	await clock.advance(3 * MINUTE_MS);
	documents.add('a');
	documents.remove('c');
	expect(remembered()).toEqual(['a', 'b']);

	await clock.advance(2 * MINUTE_MS);
	expect(remembered()).toEqual(['a']);
	await clock.advance(3 * MINUTE_MS);
	expect(remembered()).toEqual([]);
});
