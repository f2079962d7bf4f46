import type { IDataObject } from 'n8n-workflow';
import { SITES } from '../../emulator/sites';
import { useFakeTime } from '../../testbed/engine/fakeTime';
import { useHarness, type NodeSettings } from '../../testbed/engine/harness';

const harness = useHarness();

describe('a failed request', () => {
	const { settle } = useFakeTime();

	it('shows the message, status and body of the answer', async () => {
		const body = '{"message":"Too few fish","traceId":"00-1"}';
		harness.emulator.fail({ route: 'site', fault: { kind: 'status', status: 400, body } });

		const { error, items } = await settle(harness.run());

		expect(items).toEqual([]);
		expect(error).toMatchObject({
			name: 'NodeApiError',
			message: 'The service did not accept the request for site 1001',
			httpCode: '400',
			description: expect.stringMatching(
				/^Check 'Data Request Version'.*\.\nThe service says: "Too few fish"\.\nTrace ID for the operator: 00-1\.$/s,
			) as unknown,
			context: { itemIndex: 0, data: JSON.parse(body) as unknown },
		});
		expect(harness.emulator.journal.count('site')).toBe(1);
	});
});

// Fake time does not see that zlib is working.
it('a failed request shows at once that an answer is not compressed as it says', async () => {
	const headers = { 'content-encoding': 'gzip' };
	const fault = { kind: 'status', status: 200, headers, body: '{"siteId":1001}' } as const;
	harness.emulator.fail({ route: 'site', fault });

	const { error } = await harness.run();

	expect(error?.message).toBe('The answer for site 1001 is not JSON in UTF-8');
	expect(harness.emulator.journal.count('site')).toBe(1);
});

describe('a transient failure', () => {
	const KNOWN = SITES.map(({ siteId }) => siteId);
	const { settle } = useFakeTime();

	const read = async (options: IDataObject = {}, settings: NodeSettings = {}, siteIds = KNOWN) =>
		await settle(harness.getMany(siteIds, settings, { options }));
	const requests = () => harness.emulator.journal.of('site');

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
		harness.failSites(503, { retryAfter: 7, times: 1 });
		harness.emulator.fail({ route: 'site', fault: { kind: 'reset' } });

		const { error } = await read({}, {}, [1001]);

		expect(error).toMatchObject({
			message: 'The service could not answer the request for site 1001 (status 503)',
			httpCode: '503',
			description: expect.stringContaining('5 times') as unknown,
		});
		// It has waited for these seven seconds.
		expect(error?.description).not.toContain('expects to answer again');
	});

	it('is retried once if Retry-After exceeds a minute', async () => {
		harness.failSites(503, { siteId: 1001, retryAfter: 3600 });

		const { items, error } = await read({}, { onError: 'continueRegularOutput' });

		expect(error).toBeUndefined();
		expect(items.slice(1).map(({ json }) => json.siteId)).toEqual(KNOWN.slice(1));
		expect(requests()).toHaveLength(KNOWN.length + 1);
		expect(items[0]?.json).toMatchObject({
			description: expect.stringMatching(
				/^Try again later\.\n.*The service expects to answer again in 60 minutes\./,
			) as unknown,
		});
	});

	it.each([
		[30, [0, 30, 60]],
		[46, [0, 46, 60]],
		[60, [0, 60]],
		[3600, [0, 60]],
	])('is retried after Retry-After: %i, a minute at most in all', async (seconds, times) => {
		harness.failSites(503, { retryAfter: seconds });

		await read({}, {}, [1001]);

		const inSeconds = requests().map(({ at }) => Math.floor(at / 1000));
		expect(inSeconds).toEqual(times);
	});
});
