import { Reminders } from '../../../../nodes/Aquaculture/trigger/report';
import { HOUR_MS } from '../../../../nodes/Aquaculture/utils/time';

const keysIn = (keys: string) => keys.split(' ').map((key) => ({ key }));

let reminders: Reminders;

describe('Reminders', () => {
	beforeEach(() => {
		jest.useFakeTimers();
		reminders = new Reminders();
	});
	afterEach(() => jest.useRealTimers());

	it('let the trigger report a continuing failure once an hour, and a new one immediately', () => {
		const reported = ['a', 'a', 'a b', 'b'].map((keys) => reminders.shouldReport(keysIn(keys)));
		jest.advanceTimersByTime(HOUR_MS);

		expect(reported).toEqual([true, false, true, false]);
		expect(reminders.shouldReport(keysIn('a'))).toBe(true);
		expect(reminders.shouldReport([])).toBe(false);
	});

	it('reports a failure that recurs, but not if its site was not read meanwhile', () => {
		reminders.shouldReport([
			{ key: 'outage' },
			{ key: '7 forbidden', siteId: 7 },
			{ key: 'settings' },
		]);

		reminders.forgetEnded(keysIn('settings'), ({ siteId }) => siteId !== 7);

		expect(
			['outage', '7 forbidden', 'settings'].map((key) => reminders.shouldReport([{ key }])),
		).toEqual([true, false, false]);
	});
});
