import type { IDataObject } from 'n8n-workflow';
import type { EmulatorSettings } from '../../emulator/server';
import { makeSites } from '../../emulator/sites';
import { useFakeTime } from '../../testbed/engine/fakeTime';
import { Harness, sitesIn, type NodeSettings, type Output } from '../../testbed/engine/harness';

const MINUTE = 60_000;

const idsOf = (count: number) => makeSites(count).map(({ siteId }) => siteId);

describe('the request limit', () => {
	const { settle, advance } = useFakeTime();

	let harness: Harness;

	/** By default, the service and the credential have the same limit. */
	const start = async (requestsPerMinute = 100, settings: Partial<EmulatorSettings> = {}) => {
		harness = await new Harness().start({ requestsPerMinute, sites: makeSites(300), ...settings });
		harness.setCredential({ requestsPerMinute });
	};
	afterEach(async () => await harness.stop());

	const begin = async (count: number, options: IDataObject = {}, settings: NodeSettings = {}) =>
		await harness.getMany(idsOf(count), settings, { options });
	const hints = ({ hints: shown }: Output) => shown.map(({ message }) => message);
	const took = async <T>(work: Promise<T>): Promise<[T, number]> => {
		const from = performance.now();
		return [await settle(work), performance.now() - from];
	};

	it('spreads 300 sites over three minutes without a 429, and explains the time', async () => {
		await start();

		const [output, ms] = await took(begin(300, { timeout: 60 }));

		expect(sitesIn(output)).toEqual(idsOf(300));
		expect(ms).toBeGreaterThan(2.9 * MINUTE);
		expect(ms).toBeLessThan(3.5 * MINUTE);
		expect(harness.emulator.journal.countRateLimited()).toBe(0);
		expect(harness.emulator.journal.maxPerMinute()).toBeLessThanOrEqual(100);
		expect(hints(output)).toEqual([
			expect.stringMatching(
				/^300 sites took [34] minutes because of the request limit of the account. Other workflows and triggers share it$/,
			),
		]);
	});

	it.each([
		['a wait of some seconds', 5, 1],
		['a rate that stays low', 1, 7],
	])('names refusals of the service in the notice: %s', async (_what, retryAfter, times) => {
		await start();
		harness.failSites(429, { retryAfter, times });

		const [output] = await took(begin(90));

		expect(sitesIn(output)).toEqual(idsOf(90));
		expect(hints(output)).toEqual([
			expect.stringMatching(
				/^90 sites took \d+ (seconds|minutes) because the service refused requests: there were too many\. Other programs may use the account$/,
			),
		]);
	});

	it('is shared by logins, sites and credential tests of all credentials of an account', async () => {
		await start(10);
		harness.setCredential({ ...harness.credential, dataVersion: '2024-01-01' }, 'other');
		const other = { credentialId: 'other' };

		const test = harness.engine.testCredential('other');
		const outputs = await settle(Promise.all([begin(8), begin(8, {}, other)]));

		expect(outputs.map(sitesIn)).toEqual([idsOf(8), idsOf(8)]);
		await expect(settle(test)).resolves.toMatchObject({ status: 'OK' });
		expect(harness.emulator.journal.countRateLimited()).toBe(0);
		expect(harness.emulator.journal.maxPerMinute()).toBeLessThanOrEqual(10);
	});

	it('with Maximum Wait 0, reads what fits and says when to try again', async () => {
		await start(20);
		await settle(begin(5));
		await advance(MINUTE / 2);

		const [{ items }, ms] = await took(
			begin(30, { maxWait: 0 }, { onError: 'continueRegularOutput' }),
		);

		const errors = items.filter(({ json }) => json.error);
		// The login and the sites before have taken six.
		expect(items.length - errors.length).toBe(14);
		expect(errors[0]?.json).toMatchObject({
			error: expect.stringContaining(
				"limit would be longer than 'Maximum Wait (Minutes)' allows",
			) as unknown,
			description: expect.stringMatching(/Try again in (5\d|60) seconds/) as unknown,
		});
		expect(ms).toBeLessThan(1000);
	});

	it('with Maximum Wait 0, says what the service answered if there is no slot for a retry', async () => {
		await start(2);
		harness.failSites(503);

		const { error } = await settle(begin(1, { maxWait: 0 }));

		expect(error).toMatchObject({ httpCode: '503' });
		expect(error?.description).not.toContain('The request was sent');
		expect(harness.emulator.journal.count('site')).toBe(1);
	});

	it.each([
		[600, {}, 600, [5001]],
		[240, { maxWait: 0 }, 0, [expect.stringMatching(/^The wait for the req.+\nTry .+ 4 min/)]],
	])(
		'limits the wait for a login refused for %i seconds: with %j, it takes %i seconds',
		async (retryAfter, options, seconds, sites) => {
			await start();
			harness.failLogins(429, { retryAfter, times: 1 });

			const [output, ms] = await took(begin(1, options));

			expect(Math.round(ms / 1000)).toBe(seconds);
			expect(sitesIn(output)).toEqual(sites);
		},
	);

	/** With other settings, n8n logs in again. */
	const failNextLogin = () => {
		harness.setCredential({ ...harness.credential, allowUnauthorizedCerts: true }, 'other');
		harness.failLogins(503, { times: 1 });
		return { credentialId: 'other' };
	};

	it('lets a login that has failed in a full minute wait for another slot', async () => {
		await start(5);
		await settle(begin(3));

		expect(sitesIn(await settle(begin(1, {}, failNextLogin())))).toEqual(idsOf(1));
	});

	it('lets a login that gets no other slot say why it has failed', async () => {
		await start();
		await settle(begin(1));
		harness.failSites(429, { retryAfter: 3600 });

		const login = begin(1, {}, failNextLogin());
		const [{ error }] = await settle(Promise.all([login, begin(1, { maxWait: 0 })]));

		expect(error?.message).toBe('The service could not answer the login (status 503)');
		expect(harness.emulator.journal.count('token')).toBe(2);
	});

	it('is the lower one of two credentials in use, which the message names', async () => {
		await start();
		harness.setCredential({ ...harness.credential, requestsPerMinute: 2 }, 'small');

		const small = begin(5, {}, { credentialId: 'small' });
		const [{ error }] = await settle(Promise.all([begin(9, { maxWait: 0 }), small]));

		expect(error?.message).toContain("limit would be longer than 'Maximum Wait (Minutes)' allows");
		expect(error?.description).toContain('The account may send 2 requests a minute, shared');
		expect(sitesIn(await settle(begin(9, { maxWait: 0 })))).toEqual(idsOf(9));
	});
});
