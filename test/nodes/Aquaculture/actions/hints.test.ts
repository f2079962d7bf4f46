import { hintsOf } from '../../../../nodes/Aquaculture/actions/hints';

const CHECK = 'If that is wrong, check the Base URL in the credential';
const NOTHING = { sites: 400, missing: 0, repeatedRequests: 0, heldMs: 0 };

describe('what the output panel tells', () => {
	it.each<[Partial<typeof NOTHING>, string[]]>([
		[{}, []],
		[{ missing: 12 }, ['12 of 400 sites do not exist and were left out']],
		[{ missing: 1 }, ['1 of 400 sites does not exist and was left out']],
		[{ missing: 1, sites: 1 }, [`The site does not exist and was left out. ${CHECK}`]],
		[{ missing: 400 }, [`None of the 400 sites exists. ${CHECK}`]],
		[{ repeatedRequests: 1 }, ['1 request had failed for a moment and was sent again']],
		[{ repeatedRequests: 7 }, ['7 requests had failed for a moment and were sent again']],
		[{ heldMs: 400 }, []],
		[{ heldMs: 1200 }, ['To give the service time, no request was sent for 1 second in all']],
		[{ heldMs: 62_000 }, ['To give the service time, no request was sent for 62 seconds in all']],
	])('of %j', (summary, messages) => {
		const hints = hintsOf({ ...NOTHING, ...summary });

		expect(hints.map(({ message }) => message)).toEqual(messages);
		for (const { location, type } of hints) {
			expect([location, type]).toEqual(['outputPane', summary.missing ? 'warning' : 'info']);
		}
	});
});
