import { Stage } from '../stage';

/** A stage for the tests of a block: all on it is ended after them, whatever has failed or interrupts them. */
export function shareStage(): Stage {
	const stage = new Stage();
	endWithTests(async () => await stage.end());
	afterAll(async () => await stage.end());
	return stage;
}
