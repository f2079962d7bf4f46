import { EVERY_COUNTING, SCENARIOS, TWO_COUNTINGS } from '../../testbed/simulation/scenarios';

const COUNTINGS = process.env.EVERY_WAY_OF_COUNTING ? EVERY_COUNTING : TWO_COUNTINGS;

// Hours pass on the virtual clock.
jest.setTimeout(900_000);

it.each(SCENARIOS)('the rate limiter stays within its bounds: $what', async ({ play }) => {
	const { end, isGood } = await play(COUNTINGS);

	expect({ end, isGood }).toEqual({ end, isGood: true });
});
