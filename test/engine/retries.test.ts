import type { IDataObject } from 'n8n-workflow';
import type { Fault } from '../../emulator/faults';
import { SITES } from '../../emulator/sites';
import { useFakeTime } from '../../testbed/engine/fakeTime';
import { useHarness, type NodeSettings } from '../../testbed/engine/harness';

const KNOWN = SITES.map(({ siteId }) => siteId);

describe('a transient failure', () => {
	const { settle } = useFakeTime();

	const harness = useHarness();

	const read = async (options: IDataObject = {}, settings: NodeSettings = {}, siteIds = KNOWN) =>
		await settle(harness.getMany(siteIds, settings, { options }));
	const requests = () => harness.emulator.journal.of('site');
	const status = (code: number, retryAfter = 'soon', date?: string): Fault => ({
		kind: 'status',
		status: code,
		headers: { 'retry-after': retryAfter, ...(date !== undefined && { date }) },
	});

	it.each([
		[30, 2, '\nThe request was sent 2 times.'],
		[100, 1, ''],
	])('is retried for 45 seconds at most (timeout %i)', async (timeout, count, note) => {
		harness.emulator.fail({ route: 'site', fault: { kind: 'hang' } });

		const { error } = await read({ timeout }, {}, [1001]);

		expect(requests()).toHaveLength(count);
		expect(error).toMatchObject({
			message: `Site 1001 took longer than ${timeout} seconds`,
			description: `Try again, or raise 'Timeout (Seconds)' under Options.${note}`,
		});
	});

	it('with a status is shown, although other tries got no answer', async () => {
		harness.emulator.fail({ route: 'site', fault: { kind: 'reset' }, times: 1 });
		harness.emulator.fail({ route: 'site', fault: status(503), times: 1 });
		harness.emulator.fail({ route: 'site', fault: { kind: 'reset' } });

		const { error } = await read({}, {}, [1001]);

		expect(error).toMatchObject({
			message: 'The service could not answer the request for site 1001 (status 503)',
			httpCode: '503',
			description: expect.stringContaining('5 times') as unknown,
		});
	});

	it('is not retried if Retry-After exceeds the time for all tries', async () => {
		const inAnHour = ['Thu, 01 Jan 2026 01:00:00 GMT', 'Thu, 01 Jan 2026 00:00:00 GMT'] as const;
		harness.emulator.fail({ route: 'site', siteId: 1001, fault: status(503, ...inAnHour) });

		const { items, error } = await read({}, { onError: 'continueRegularOutput' });

		expect(error).toBeUndefined();
		expect(items.slice(1).map(({ json }) => json.siteId)).toEqual(KNOWN.slice(1));
		expect(requests()).toHaveLength(KNOWN.length);
		expect(items[0]?.json).toMatchObject({
			description: expect.stringMatching(
				/^Try again later\.\n.*The service asks n8n to wait for 60 minutes\./,
			) as unknown,
		});
	});
});
