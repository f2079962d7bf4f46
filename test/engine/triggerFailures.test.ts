import type { IDataObject } from 'n8n-workflow';
import { AquacultureApi } from '../../credentials/AquacultureApi.credentials';
import type { Fault } from '../../emulator/faults';
import { useFakeTime } from '../../testbed/engine/fakeTime';
import {
	changesOf,
	messagesOf,
	NOTHING,
	relicensed,
	STORED,
	useTrigger,
} from '../../testbed/engine/useTrigger';

const NEXT_POLL =
	/ The next poll tries again and reports all changes since\. Until it succeeds, you get this message at most once an hour\.(\n.+)*$/;

describe('failures of the trigger', () => {
	const { harness, change, relicense, trigger, activated, pollTimes, expectToBeWatching } =
		useTrigger();

	it('lose no changes', async () => {
		const active = await activated({ siteIds: '1001 1002 1003' });
		relicense(1001, 'NEW-1');
		relicense(1002, 'NEW-2');
		harness.failSites(400, { siteId: 1002, times: 3 });

		const first = await active.poll();
		const logged = harness.engine.log.at(-1);
		relicense(1003, 'NEW-3');
		const second = await active.poll();
		harness.failSites(400, { siteId: 1001, times: 1 });
		const third = await active.poll();
		const fourth = await active.poll();

		expect(changesOf(first)).toEqual([relicensed(1001, 'M-H-0101', 'NEW-1')]);
		expect(first.errors).toMatchObject([
			{
				name: 'NodeApiError',
				message: 'The service did not accept the request for site 1002',
				httpCode: '400',
				context: { data: { code: 'bad_request' } },
				description: expect.stringMatching(NEXT_POLL) as unknown,
			},
		]);
		expect(logged).toMatchObject({
			message: 'Aquaculture: Polled',
			details: { kind: 'regular', sites: 3, fetched: 2, failures: 1, unfinished: 0, items: 1 },
		});
		expect(changesOf(second)).toEqual([relicensed(1003, 'N-A-0103', 'NEW-3')]);
		expect(messagesOf([second, third])).toEqual([[], []]);
		expect(changesOf(fourth)).toEqual([relicensed(1002, 'T-N-0102', 'NEW-2')]);
		await expect(active.poll()).resolves.toEqual(NOTHING);
	});

	it('of the login are reported once for all sites', async () => {
		harness.setCredential({ password: 'wrong' });
		const active = trigger({ siteIds: '1001 1002 1003' });
		const polls = [await active.activate(), ...(await pollTimes(active, 2))];

		expect(messagesOf(polls)).toEqual([['The service refused the username and password'], [], []]);
		expect(harness.emulator.journal.count('token')).toBe(1);
	});

	it.each<[IDataObject, string]>([
		[{ siteIds: '1001 1002' }, "'Site IDs'"],
		[{ siteIds: `1001, 1002${', two'.repeat(10)}` }, "'Site IDs'"],
		[{ sites: 'all' }, "'Known Sites' in the credential"],
		[{ sites: 'fromList', chosenSites: [1001, 1002] }, "'Site Names or IDs'"],
	])('say that a forbidden site of %j is tried again', async (parameters, list) => {
		harness.credential.knownSites = '1001\n1002';
		harness.failSites(403, { siteId: 1002 });

		const { errors } = await trigger(parameters).activate();

		expect(messagesOf([{ items: undefined, errors }])).toEqual([
			['This account may not read site 1002'],
		]);
		expect(errors[0]?.description).toContain(
			`Other sites are still watched; this one is tried again at each poll. If it is gone for good, remove it from ${list}. Until then, `,
		);
	});

	it('say that a forbidden site is tried again beside another one, but not while the login is refused', async () => {
		const active = trigger({ siteIds: '1001 1002 4041' });
		harness.failSites(403, { siteId: 1002 });
		const [first] = (await active.activate()).errors;
		harness.failSites(401, { siteId: 4041 });
		harness.failLogins(401);
		const [second] = (await active.poll()).errors;

		expect(first?.description).toMatch(
			/; these are tried again at each poll\. If one is gone for good,/,
		);
		expect(second?.message).toBe('The service refused the username and password');
		expect(second?.description).toContain('\nThis account may not read site 1002');
		expect(second?.description).toMatch(NEXT_POLL);
		expect(second?.description).not.toContain('still watche');
	});

	it('name a site once if neither its info nor its units can be used', async () => {
		change(1001, (site) => Object.assign(site, { info: 'closed', units: { 1: {} } }));

		const { errors } = await trigger().activate();

		expect(errors.map(({ message }) => message)).toEqual([
			"The answer for site 1001 cannot be used: 'info' is not an object",
		]);
		expect(errors[0]?.description).not.toContain('other sites');
		expect(errors[0]?.description).toMatch(
			/'info' is not an object\.\n.*'units' is not a list of objects\.\nCheck 'Data Request Version'/,
		);
	});

	it("of an unknown site of 'All Sites' name its line in 'Known Sites'", async () => {
		harness.credential.knownSites = '1001\n4041';

		const { errors } = await trigger({ sites: 'all' }).activate();

		expect(errors.map(({ description }) => description?.split('\n')[0])).toEqual([
			"Correct its line in 'Known Sites' in the credential.",
		]);
		expect(errors[0]?.description).toContain("If you cannot edit the credential, choose 'By ID'");
	});

	it('with a text that changes at each poll are reported once', async () => {
		let evaluations = 0;
		harness.engine.variables = {
			get changing() {
				evaluations += 1;
				return evaluations;
			},
		};
		const partly = trigger({ siteIds: "={{ '1001, x' + $vars.changing }}" });
		const wholly = await activated({}, { name: 'Another' });

		const polls = [await partly.activate(), await partly.poll()];
		for (const requestsPerMinute of ['x1', 'x2', 'x3']) {
			harness.setCredential({ ...harness.credential, requestsPerMinute });
			polls.push(await wholly.poll());
		}

		expect(messagesOf(polls).map(({ length }) => length)).toEqual([1, 0, 1, 0, 0]);
	});

	describe('after all retries', () => {
		const { settle } = useFakeTime();

		it('of all sites do not prevent the activation', async () => {
			harness.failSites(500);
			const active = trigger({ siteIds: '1001 1002 1003 1004 1005 1006 1007' });

			const { items, errors } = await settle(active.activate());
			expect(items).toBeUndefined();
			expect(errors).toMatchObject([
				{
					message: '7 sites could not be read: 1001, 1002, 1003, 1004, 1005, 1006, 1007',
					description: expect.stringMatching(
						/^(The service could not answer the request for site 100\d \(status 500\) \(".+", trace ID \S+\)\.\n){7}Try again later\. If this continues, .* The next poll/,
					) as unknown,
				},
			]);
			await expect(settle(active.poll())).resolves.toEqual(NOTHING);

			harness.emulator.reset();
			await expect(settle(active.poll())).resolves.toEqual(STORED);
			await settle(expectToBeWatching(active));
		});

		it.each<Fault>([
			...[302, 400, 403, 404, 418, 422, 500].map((status) => ({ kind: 'status', status }) as const),
			{ kind: 'huge', bytes: 17 * 1024 * 1024 },
			{ kind: 'body', body: '<html>' },
			{ kind: 'hang' },
			{ kind: 'reset' },
		])('name only fields of the trigger and the credential: %j', async (fault) => {
			harness.emulator.fail({ route: 'site', fault });
			const { errors } = await settle(trigger().activate());

			const fields = [
				...harness.engine.triggerType.description.properties,
				...new AquacultureApi().properties,
			].flatMap(({ displayName, options: more = [] }) => [
				displayName,
				...more.map((option) => ('displayName' in option ? option.displayName : '')),
			]);
			const named = [...(errors[0]?.description ?? '').matchAll(/'([A-Z][^']*)'/g)];
			expect(errors).toHaveLength(1);
			expect(named.filter(([, field = '']) => !fields.includes(field))).toEqual([]);
			expect(errors[0]?.description).not.toMatch(/of the node|Ask for/);
		});
	});

	it('of lines of Known Sites are reported once, while the trigger keeps their sites and watches others', async () => {
		harness.credential.knownSites = '1001 Storvågen\n1002 Kråkøya';
		const active = await activated({ sites: 'all' });

		harness.credential.knownSites = '1001 Storvågen\nKråkøya 1002\n1001 Storvågen';
		relicense(1001, 'NEW-1');
		relicense(1002, 'NEW-2');
		const polled = await active.poll();
		expect(changesOf(polled)).toEqual([relicensed(1001, 'M-H-0101', 'NEW-1')]);
		expect(polled.errors).toMatchObject([
			{
				message: "Some lines of 'Known Sites' in the credential add no site",
				description: expect.stringMatching(
					/^Correct 'Known Sites' in the credential: .*\nLeft out: line 2 \(Kråkøya 1002\)\. The trigger still watches the other sites\.$/,
				) as unknown,
			},
		]);
		await expect(active.poll()).resolves.toEqual(NOTHING);

		harness.credential.knownSites = '1001 Storvågen\n1002 Kråkøya';
		expect(changesOf(await active.poll())).toEqual([relicensed(1002, 'T-N-0102', 'NEW-2')]);
	});

	describe('of settings', () => {
		it.each<[string, IDataObject]>([
			[`'Site IDs' contains an unknown site: "two"`, { siteIds: 'two, three' }],
			[`'Trigger On' is empty`, { changes: [] }],
			[
				`'Timeout (Seconds)' is not a number of seconds from 1 to 216: "217"`,
				{ options: { timeout: 217 } },
			],
		])('prevent the activation: %s', async (message, parameters) => {
			const description = await trigger(parameters)
				.fetchTestEvent()
				.catch((error: Error & { description: string }) => {
					expect(error.message).toBe(message);
					return error.description;
				});
			expect(description).toMatch(/^(Correct|Enter) (?!.*item)/);

			// n8n then shows the message alone.
			await expect(trigger(parameters).activate()).rejects.toMatchObject({
				name: 'NodeOperationError',
				message: `${message}. ${String(description)}`,
			});
			expect(harness.emulator.journal.requests).toEqual([]);
		});

		it('are not reported by a poll that an activation has replaced', async () => {
			const replaced = trigger({ changes: [] }, { budgetMs: 36_000 }).poll();
			const activation = trigger().activate();

			expect(messagesOf([await replaced, await activation])).toEqual([[], []]);
		});

		it('are reported once within the hour, and prevent an activation', async () => {
			const { baseUrl = '' } = harness.credential;
			const active = await activated();
			const pollWith = async (address: typeof baseUrl) => {
				Object.assign(harness.credential, { baseUrl: address });
				return await active.poll();
			};
			const first = await pollWith('');
			const polls = [await pollWith(''), await pollWith('ftp://x'), await pollWith(baseUrl)];
			polls.push(await pollWith(''));

			expect(first.items).toBeUndefined();
			expect(first.errors).toMatchObject([
				{
					message: "'Base URL' is empty",
					description: expect.stringMatching(/^Correct 'Base URL' in the credential\./) as unknown,
				},
			]);
			expect(messagesOf(polls)).toEqual([[], [], [], []]);
			await expect(active.activate()).rejects.toMatchObject({
				message: expect.stringMatching(/^'Base URL' is empty\. Correct 'Base URL'/) as unknown,
			});
			Object.assign(harness.credential, { baseUrl });
			await expectToBeWatching(active);
		});
	});
});
