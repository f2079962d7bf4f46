import type { IDataObject } from 'n8n-workflow';
import type { Fault } from '../../emulator/faults';
import { SITES } from '../../emulator/sites';
import { useFakeTime } from '../../testbed/engine/fakeTime';
import {
	DISTINCT_REQUESTS,
	distinctItems,
	useHarness,
	type NodeSettings,
} from '../../testbed/engine/harness';

const KNOWN = SITES.map(({ siteId }) => siteId);

describe('a transient failure', () => {
	const { settle } = useFakeTime();

	const harness = useHarness();

	const read = async (options: IDataObject = {}, settings: NodeSettings = {}, siteIds = KNOWN) =>
		await settle(
			harness.run({ operation: 'getManySites', siteIds: siteIds.join(), options }, settings),
		);
	const requests = () => harness.emulator.journal.of('site');
	const status = (code: number, retryAfter = 'soon', date?: string): Fault => ({
		kind: 'status',
		status: code,
		headers: { 'retry-after': retryAfter, ...(date !== undefined && { date }) },
	});

	it.each<Fault>([status(503), { kind: 'reset' }, { kind: 'truncated' }])(
		'is retried: %j',
		async (fault) => {
			harness.emulator.fail({ route: 'site', fault, times: 1 });

			const { items, error } = await read();

			expect(error).toBeUndefined();
			expect(items.map(({ json }) => json.siteId)).toEqual(KNOWN);
			expect(requests()).toHaveLength(KNOWN.length + 1);
		},
	);

	it('of twenty sites lets the others have one try each, until one is read', async () => {
		const times = 20 * 5 + 30;
		harness.emulator.fail({ route: 'site', fault: status(503), times });

		const { items } = await settle(
			harness.run(DISTINCT_REQUESTS, {
				input: distinctItems(200),
				onError: 'continueRegularOutput',
			}),
		);

		// Two more sites have all their tries: they begin when the first and the second one fail.
		expect(items.filter(({ json }) => json.error !== undefined)).toHaveLength(20 + 28);
		expect(requests()).toHaveLength(times + 152);
		const failed = requests().filter((each) => each.status === 503);
		expect((failed.at(-1)?.at ?? 0) - (failed[0]?.at ?? 0)).toBeLessThan(45_000);
	});

	it('is retried for 45 seconds at most', async () => {
		harness.emulator.fail({ route: 'site', fault: { kind: 'hang' } });

		const { error } = await read({ timeout: 30 }, {}, [1001]);

		expect(requests()).toHaveLength(2);
		expect(error).toMatchObject({
			message: 'Site 1001 took longer than 30 seconds',
			description:
				"Try again, or raise 'Timeout (Seconds)' under Options.\nThe request was sent 2 times.",
		});
	});

	it('with a status is shown, although later tries got no answer', async () => {
		harness.emulator.fail({ route: 'site', fault: status(503), times: 1 });
		harness.emulator.fail({ route: 'site', fault: { kind: 'reset' } });

		const { error } = await read({}, {}, [1001]);

		expect(error).toMatchObject({
			message: 'The service could not answer the request for site 1001 (status 503)',
			httpCode: '503',
			description: expect.stringContaining('5 times') as unknown,
		});
	});

	it('with Retry-After does not delay other sites', async () => {
		harness.emulator.fail({ route: 'site', siteId: 1001, fault: status(503, '2'), times: 1 });

		const { error, items } = await read();

		const [again, ...others] = requests().reverse();
		const began = others.at(-1)?.at ?? 0;
		const lastOther = others[0]?.at ?? 0;
		expect(error).toBeUndefined();
		expect(items).toHaveLength(KNOWN.length);
		expect(again?.url).toContain('/1001');
		expect((again?.at ?? 0) - began).toBeGreaterThanOrEqual(2000);
		expect(lastOther - began).toBeLessThan(2000);
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
