import type { Fault } from '../../emulator/faults';
import { makeSites } from '../../emulator/sites';
import { useFakeTime } from '../../testbed/engine/fakeTime';
import { statusFault, useHarness, type Output } from '../../testbed/engine/harness';

describe('failing logins', () => {
	const SITES = makeSites(200);
	const { settle } = useFakeTime();
	const harness = useHarness({ sites: SITES });

	const fetchAll = async (count = 30) => {
		const siteIds = SITES.slice(0, count).map(({ siteId }) => siteId);
		return await settle(harness.getMany(siteIds, { onError: 'continueRegularOutput' }));
	};
	const errorsOf = ({ items }: Output) =>
		items.flatMap(({ json }) => (json.error === undefined ? [] : [json]));

	it.each<[string, Fault, RegExp]>([
		['are refused', statusFault(401), /refused the username and password/],
		['fail', statusFault(503), /could not answer the login/],
		['hang', { kind: 'hang' }, /login took longer than \d+ seconds/],
	])('that %s after a 401 end the execution', async (_what, fault, message) => {
		await settle(harness.run({ siteId: '5001' }));
		harness.emulator.fail({ route: 'token', fault });
		harness.failSites(401, { siteId: 5001 });
		harness.emulator.settings.latencyMs = 1000;

		const errors = errorsOf(await fetchAll());

		expect(errors.length).toBeGreaterThan(1);
		expect(new Set(errors.map(({ error }) => error))).toEqual(
			new Set([expect.stringMatching(message)]),
		);
	});

	it.each<[number, Fault]>([
		[1, statusFault(503, 3600)],
		[3, { kind: 'hang' }],
	])('are sent %i times within a minute: %j', async (count, fault) => {
		harness.emulator.fail({ route: 'token', fault });
		const beganAt = Date.now();

		await settle(harness.run({ siteId: '5001' }));

		expect(Date.now() - beganAt).toBeLessThan(61_000);
		expect(harness.emulator.journal.count('token')).toBe(count);
	});

	it.each<[string, Fault]>([
		['answered with 500', statusFault(500)],
		['answered with 503', statusFault(503)],
		['answered with a web page', { kind: 'body', body: '<p>' }],
		['reset', { kind: 'reset' }],
	])('that are %s cost at most twenty requests if 200 sites answer 401', async (_what, fault) => {
		harness.credential.requestsPerMinute = 100;
		await settle(harness.run({ siteId: '5001' }));
		harness.emulator.fail({ route: 'token', fault });
		harness.emulator.tokens.revokeAll();

		const messages = errorsOf(await fetchAll(200)).map(({ error }) => error);

		expect(messages).toEqual(Array(200).fill(expect.stringMatching(/login|connection/)));
		expect(new Set(messages).size).toBe(1);
		expect(harness.emulator.journal.of('site').length).toBeLessThanOrEqual(1 + 20);
	});
});
