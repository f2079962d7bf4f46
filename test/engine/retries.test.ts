import type { IDataObject } from 'n8n-workflow';
import type { Fault } from '../../emulator/faults';
import { makeSites, SITES } from '../../emulator/sites';
import { useFakeTime } from '../../testbed/engine/fakeTime';
import { useHarness, type NodeSettings } from '../../testbed/engine/harness';

const KNOWN = SITES.map(({ siteId }) => siteId);
const MANY = makeSites(200);

describe('a transient failure', () => {
	const { settle } = useFakeTime();

	const harness = useHarness({ sites: [...SITES, ...MANY] });

	const read = async (options: IDataObject = {}, settings: NodeSettings = {}, siteIds = KNOWN) =>
		await settle(harness.getMany(siteIds, settings, { options }));
	const requests = () => harness.emulator.journal.of('site');
	const status = (code: number, retryAfter = 'soon', date?: string): Fault => ({
		kind: 'status',
		status: code,
		headers: { 'retry-after': retryAfter, ...(date !== undefined && { date }) },
	});

	describe('of all sites', () => {
		/** Reads sites at a request limit, and returns which errors there were, and how long that took. */
		const fetchMany = async (count: number, requestsPerMinute: number) => {
			harness.credential.requestsPerMinute = requestsPerMinute;
			const beganAt = Date.now();
			const siteIds = MANY.slice(0, count).map(({ siteId }) => siteId);
			const { items } = await read({}, { onError: 'continueRegularOutput' }, siteIds);
			expect(items).toHaveLength(count);
			const failed = items.flatMap(({ json }) => (json.error === undefined ? [] : [json.error]));
			return { failed, seconds: (Date.now() - beganAt) / 1000 };
		};

		it.each<[Fault, { minutes: number; requests: number; error: RegExp }]>([
			[status(503), { minutes: 4.5, requests: 320, error: /status 503/ }],
			[{ kind: 'reset' }, { minutes: 4, requests: 150, error: /connection .+ was lost/ }],
			[{ kind: 'hang' }, { minutes: 6, requests: 60, error: /seems to be down, so no more/ }],
		])(
			'ends an execution of 200 within minutes: %j',
			async (fault, { minutes, requests: most, error }) => {
				harness.emulator.fail({ route: 'site', fault });

				const { failed, seconds } = await fetchMany(200, 100);

				expect(failed).toHaveLength(200);
				expect(failed).toContainEqual(expect.stringMatching(error));
				expect(seconds).toBeLessThan(minutes * 60);
				expect(requests().length).toBeLessThan(most);
			},
		);

		it.each([
			[100, 0],
			[500, 20],
			[2000, 20],
		])(
			'for 45 seconds fails only those in flight (%i requests a minute: %i)',
			async (requestsPerMinute, count) => {
				harness.emulator.fail({ route: 'site', fault: status(503) });
				setTimeout(() => harness.emulator.reset(), 45_000);

				const { failed } = await fetchMany(150, requestsPerMinute);

				expect(failed).toHaveLength(count);
			},
		);

		it('lets one site at a time probe, then the others are sent if one is answered', async () => {
			// Twenty workers, four more that begin when the first ones fail, and two probes.
			const times = 24 * 5 + 2 * 5;
			harness.emulator.fail({ route: 'site', fault: status(503), times });

			const { failed } = await fetchMany(60, 10_000);

			expect(failed).toHaveLength(24 + 2);
			expect(requests()).toHaveLength(times + 34);
		});
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

	it('with Retry-After delays no other site, and is not called the request limit', async () => {
		harness.emulator.fail({ route: 'site', siteId: 1001, fault: status(503, '2'), times: 1 });

		const { error, items, hints } = await read();

		const [again, ...others] = requests().reverse();
		const began = others.at(-1)?.at ?? 0;
		const lastOther = others[0]?.at ?? 0;
		expect(error).toBeUndefined();
		expect(items).toHaveLength(KNOWN.length);
		expect(again?.url).toContain('/1001');
		expect((again?.at ?? 0) - began).toBeGreaterThanOrEqual(2000);
		expect(lastOther - began).toBeLessThan(2000);
		expect(hints).toEqual([]);
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
