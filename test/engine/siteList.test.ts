import type { IDataObject, INode } from 'n8n-workflow';
import { ActiveTrigger } from '../../testbed/engine/activeTrigger';
import { jumpingTime } from '../../testbed/engine/jumpingTime';
import { NODE, rigPerTest, type Output, type Rig } from '../../testbed/engine/rig';
import { credentialsOf, NODE_TYPE, step } from '../../testbed/workflows';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const ADDRESS = '/list?all=true&$top=9';
const ALL: IDataObject = { operation: 'getManySites', sites: 'all' };
const EACH: IDataObject = { siteId: '={{ $json.site }}' };
const CONTINUE = { onError: 'continueRegularOutput' } as const;
const UNREAD = 'The list of sites could not be read';

const byName = (value: unknown): IDataObject => ({ siteId: { __rl: true, mode: 'name', value } });
const byIds = (siteIds: string): IDataObject => ({
	operation: 'getManySites',
	sites: 'byId',
	siteIds,
});
const idsIn = ({ items }: Output) => items.map(({ json }) => json.siteId);
const outcomesIn = ({ items }: Output) => items.map(({ json }) => json.error ?? json.siteId);
const hintsIn = ({ hints }: Output) => hints.map(({ message }) => message);

describe("the service's list of sites", () => {
	const { until } = jumpingTime();
	let rig: Rig;

	rigPerTest((started) => {
		rig = started;
		rig.emulator.settings.siteList = { path: '/list' };
	});
	beforeEach(() => {
		rig.setCredential({ siteListAddress: ADDRESS });
	});

	const run = async (...args: Parameters<Rig['run']>) => await until(rig.run(...args));
	const lists = () => rig.emulator.journal.count('siteList');
	const allIds = () => [...rig.emulator.sites.keys()];
	const pass = (minutes: number) => jest.advanceTimersByTime(minutes * MINUTE);
	const addSite = (siteId: number, siteName: string) => {
		rig.emulator.changeSite(siteId, () => ({ siteId, siteName }));
	};
	const failWith = (status: number, times = Infinity) =>
		rig.emulator.fail({ route: 'siteList', fault: { kind: 'status', status }, times });
	const hang = (times: number) =>
		rig.emulator.fail({ route: 'siteList', fault: { kind: 'hang' }, times });
	const answer = (body: unknown) => {
		const headers = { 'content-type': 'application/json' };
		const fault = { kind: 'status', status: 200, body: JSON.stringify(body), headers } as const;
		rig.emulator.fail({ route: 'siteList', fault });
	};
	const editor = () =>
		rig.engine.loadOptionsContext({
			...step(NODE, NODE_TYPE, {}, { credentials: credentialsOf('account') }),
			position: [0, 0],
		} as INode);
	const openPanel = async () => {
		const list = await rig.engine.nodeType.methods?.loadOptions?.listKnownSites?.call(editor());
		return list?.map(({ name }) => name) ?? [];
	};

	describe('in a run', () => {
		it.each<[string, IDataObject, number[]]>([
			['by its name', byName('kråkøya'), [1002]],
			['by its label in a field for IDs', { siteId: 'Kråkøya (1002)' }, [1002]],
			['among names and IDs', byIds('1003, Kråkøya; Storvågen'), [1003, 1002, 1001]],
		])(
			"a site of the service's list is found %s, with one request for the list",
			async (_how, parameters, siteIds) => {
				const output = await run(parameters, { input: [{}, {}] });

				expect(output.error).toBeUndefined();
				expect(new Set(idsIn(output))).toEqual(new Set(siteIds));
				expect(lists()).toBe(1);
			},
		);

		it("all sites are those of the service's list, in its order, asked for at the whole address", async () => {
			expect(idsIn(await run(ALL))).toEqual(allIds());
			expect(rig.emulator.journal.of('siteList')).toMatchObject([
				{ method: 'GET', url: ADDRESS, headers: { 'service-version': '2023-01-01' } },
			]);
		});

		it.each<[string, IDataObject]>([
			['for a site by its ID', { siteId: '1001' }],
			['for a site from the list', { siteId: { __rl: true, mode: 'list', value: 1001 } }],
			["for a site by its name in 'Known Sites'", byName('Hjemme')],
			['for sites by their IDs and known names', byIds('1002, Hjemme')],
			[
				'for sites chosen from the list',
				{ operation: 'getManySites', sites: 'fromList', chosenSites: [1001] },
			],
		])("the service's list of sites is not asked for %s", async (_what, parameters) => {
			rig.credential.knownSites = '1001 Hjemme';

			expect((await run(parameters)).error).toBeUndefined();
			expect(lists()).toBe(0);
		});

		it("the service's list of sites is used for ten minutes", async () => {
			await run(ALL);
			pass(9);
			await run(ALL);
			expect(lists()).toBe(1);

			pass(2);
			addSite(2001, 'Ny');
			expect(idsIn(await run(ALL))).toContain(2001);
			expect(lists()).toBe(2);
		});

		it("the service's list of sites is read again for an unknown name, once for each execution and once a minute", async () => {
			await run(ALL);
			addSite(2001, 'Nyvika ved Nord');
			expect((await run(byName('Nyvika ved Nord'))).error).toMatchObject({
				message: `'Site' contains an unknown site: "Nyvika ved Nord"`,
				description: expect.stringMatching(
					/Enter a name from the service's list of sites or 'Known Sites' in the credential, /,
				) as unknown,
			});
			expect(lists()).toBe(1);

			pass(2);
			const input = [{ site: 'x1' }, { site: 'Nyvika ved Nord' }, { site: 'x2' }];
			const output = await run(byName('={{ $json.site }}'), { input, ...CONTINUE });
			expect(idsIn(output)).toEqual([null, 2001, null]);
			expect(lists()).toBe(2);
		});

		it('a site that was renamed in the service is found by its new name at the first try, also when a trigger is activated', async () => {
			await run(ALL);
			pass(2);
			addSite(1001, 'Storvågen II');
			expect(idsIn(await run(byName('Storvågen II')))).toEqual([1001]);

			pass(2);
			addSite(1001, 'Storvågen III');
			const trigger = new ActiveTrigger(rig, { siteIds: 'Storvågen III' });
			await until(trigger.activate());
			expect(rig.emulator.journal.of('site').at(-1)?.url).toContain('/1001');
			expect(lists()).toBe(3);
		});

		it('a name that the panel has just shown is known to the runs that follow', async () => {
			await run(ALL);
			addSite(1001, 'Storvågen II');
			pass(2);
			expect(await until(openPanel())).toContain('Storvågen II (1001)');

			expect(idsIn(await run(byName('Storvågen II')))).toEqual([1001]);
		});
	});

	describe("beside 'Known Sites'", () => {
		it("all sites are the known ones, then the others of the service's list", async () => {
			rig.credential.knownSites = '1003 Hjemme\n9999 Gamle';
			const listed = allIds().filter((siteId) => siteId !== 1003);

			const output = await run({ ...ALL, options: { ignoreMissing: true } });

			expect(idsIn(output)).toEqual([1003, ...listed]);
		});

		it("a name that 'Known Sites' and the service's list use for different sites means the known one", async () => {
			rig.credential.knownSites = '1005 Kråkøya';
			const input = [{ site: 'Kråkøya' }, { site: 'Storvågen' }];

			expect(idsIn(await run(byName('={{ $json.site }}'), { input }))).toEqual([1005, 1001]);
		});

		it("a known ID means the known site, although the service's list has a site of that name, beside any other item", async () => {
			rig.credential.knownSites = '1001 Hjemme';
			addSite(2001, '1001');
			const input = [{ site: '1001' }, { site: 'kraakoya' }, { site: 'krakoya' }];

			const output = await run(byName('={{ $json.site }}'), { input, ...CONTINUE });

			expect(idsIn(output)).toEqual([1001, null, 1002]);
		});
	});

	describe('for several at the same time', () => {
		it("the service's list of sites is asked for once by executions at the same time", async () => {
			rig.emulator.settings.latencyMs = 20;

			const works = [rig.run(ALL), rig.run(byName('Storvågen')), rig.run(ALL)];
			const outputs = await until(Promise.all(works));

			expect(outputs.map(idsIn)).toEqual([allIds(), [1001], allIds()]);
			expect(lists()).toBe(1);
		});

		it("the service's list of sites is read by another execution if the one that reads it is stopped", async () => {
			hang(1);
			let stop = () => {};
			const onStart = (execution: { cancel(): void }) => {
				stop = () => execution.cancel();
			};
			const stopped = rig.run(ALL, { onStart });
			const other = rig.run(ALL);
			setTimeout(() => stop(), SECOND);

			await until(stopped);
			expect(idsIn(await until(other))).toEqual(allIds());
			expect(lists()).toBe(2);
		});

		it("the service's list of sites, which a patient run waits for, is read by the panel and by other runs with limits of their own", async () => {
			hang(2);
			let stop = () => {};
			const patient = rig.run(
				{ ...ALL, options: { timeout: 3600 } },
				{ onStart: (execution) => (stop = () => execution.cancel()) },
			);
			const beganAt = Date.now();
			await until(
				expect(openPanel()).rejects.toMatchObject({
					message: 'The list of sites took longer than 12 seconds. Try again in a few minutes.',
				}),
			);
			expect(Date.now() - beganAt).toBeLessThan(14 * SECOND);

			expect(idsIn(await run(ALL))).toEqual(allIds());
			stop();
			await until(patient);
		});

		it("the service's list of sites is hardly asked for again by runs that wait for their places until another one has read it", async () => {
			rig.emulator.settings.latencyMs = 2.5 * SECOND;
			rig.setCredential({ ...rig.credential, requestsPerMinute: 60 });

			const one = { ...ALL, returnAll: false, limit: 1 };
			const outputs = await until(Promise.all(Array.from({ length: 20 }, () => rig.run(one))));

			expect(outputs.every(({ error }) => error === undefined)).toBe(true);
			expect(lists()).toBeLessThanOrEqual(5);
		});

		it("the service's list of sites that fails for the panel after its two tries does not fail for a run", async () => {
			failWith(503, 3);
			const panel = expect(openPanel()).rejects.toMatchObject({
				message: expect.stringMatching(
					/^The list of sites could not be read\. The service could not answer the request for the list of sites \(status 503\)\. /,
				) as unknown,
			});

			const [{ error }] = await until(Promise.all([rig.run(ALL), panel]));

			expect(error).toBeUndefined();
		});
	});

	describe('if it cannot be used', () => {
		const input = [{ site: 'Storvågen' }, { site: 1002 }, { site: 'Kråkøya' }];

		it("if the service's list of sites cannot be read, the items that need it fail with the reason, and no others", async () => {
			failWith(422);

			const output = await run(EACH, { input, ...CONTINUE });

			expect(outcomesIn(output)).toEqual([UNREAD, 1002, UNREAD]);
			expect(output.items[0]?.json).toMatchObject({
				httpCode: '422',
				description: expect.stringMatching(
					/^Check 'Site List Address' in the credential\. The service could not carry out the request for the list of sites\. /,
				) as unknown,
			});
			expect(lists()).toBe(1);
		});

		it("if the service's list of sites cannot be read, the execution stops before a site is asked for", async () => {
			failWith(422);

			expect((await run(EACH, { input })).error?.message).toBe(UNREAD);
			expect(rig.emulator.journal.count('site')).toBe(0);
		});

		it("a list of sites that is not at its address is no missing site, although 'Ignore Missing Sites' is on", async () => {
			failWith(404);

			const { error } = await run({ ...ALL, options: { ignoreMissing: true } });

			expect(error).toMatchObject({
				message: 'The service has no list of sites at this address',
				description: expect.stringMatching(/^Correct 'Site List Address'/) as unknown,
			});
		});

		it('an error of the list of sites shows no token, although the service repeats it', async () => {
			rig.emulator.fail({ route: 'siteList', fault: { kind: 'echo', status: 400 } });

			const { error } = await run(ALL);

			const [login] = rig.emulator.journal.of('token');
			expect(error?.message).toBe(UNREAD);
			expect(JSON.stringify(error)).not.toContain(String(login?.issued));
		});

		it.each<[string, object, string]>([
			[
				'that is not whole',
				{ sites: [{ siteId: 1001 }], nextPage: 2 },
				"The service seems to have more sites than its list at 'Site List Address' shows, so the others are not known. Enter them in 'Known Sites' in the credential",
			],
			[
				'with an entry that cannot be used',
				[{ siteId: 1001 }, { siteId: '01002' }],
				"1 entry of the service's list of sites has an ID that cannot be used and was left out: 01002",
			],
		])('a list of sites %s is used, and the run says so', async (_what, body, message) => {
			answer(body);

			const output = await run(ALL);

			expect(idsIn(output)).toEqual([1001]);
			expect(hintsIn(output)).toEqual([message]);
		});
	});

	describe('in the credential test', () => {
		const test = async () => await until(rig.engine.testCredential('account'));

		it("the credential test reads the service's list of sites once, and passes", async () => {
			expect(await test()).toMatchObject({ status: 'OK' });
			expect(rig.emulator.journal.requests.map(({ route }) => route)).toEqual([
				...['token', 'siteList', 'token'],
			]);
		});

		it.each<[string, () => void, RegExp]>([
			[
				'is not at its address',
				() => failWith(404),
				/^The service has no list of sites at this address\. The login works\. Correct 'Site List Address'/,
			],
			[
				'has no sites',
				() => answer({ total: 0 }),
				/The login works\. Check 'Site List Address' .*no object with a site ID.*"total"/,
			],
			[
				'is refused because of the limit',
				() => failWith(429, 1),
				/^The account has reached its limit and may send again in 60 seconds\. /,
			],
		])(
			'the credential test fails if the list of sites %s, and says so',
			async (_what, fail, said) => {
				fail();

				const message = expect.stringMatching(said) as unknown;
				expect(await test()).toMatchObject({ status: 'Error', message });
			},
		);

		it.each<[string, () => void]>([
			['takes too long', () => hang(1)],
			['does not take its token', () => failWith(401, 1)],
			['fails for the moment', () => failWith(503, 1)],
		])('the credential test passes in 15 seconds if the list of sites %s', async (_what, fail) => {
			fail();
			const beganAt = Date.now();

			expect(await test()).toMatchObject({ status: 'OK' });
			expect(Date.now() - beganAt).toBeLessThan(15 * SECOND);
		});
	});

	describe('in the panel', () => {
		const open = async () => await until(openPanel());

		it("the panel shows the known sites and the service's list by name, filtered by what is typed", async () => {
			rig.credential.knownSites = '1003 Ålvik\n1010 10\n1009 9';
			const labels = await open();
			expect(labels.slice(0, 2)).toEqual(['9 (1009)', '10 (1010)']);
			expect(labels.indexOf('Ålvik (1003)')).toBeLessThan(labels.indexOf('Bjørnneset (1006)'));
			expect(labels.indexOf('Kråkøya (1002)')).toBeLessThan(labels.indexOf('Storvågen (1001)'));

			const search = rig.engine.nodeType.methods?.listSearch?.searchKnownSites;
			const found = await search?.call(editor(), 'kråk');
			expect(found?.results).toEqual([{ name: 'Kråkøya (1002)', value: 1002 }]);
			expect(lists()).toBe(1);
		});

		it("the service's list of sites that the panel has read is used by the runs that follow", async () => {
			await open();

			expect(idsIn(await run(ALL, { input: [{}, {}] }))).toEqual(allIds());
			expect(lists()).toBe(1);
		});

		it("the panel reads the service's list of sites again after a minute", async () => {
			await open();
			addSite(2001, 'Ny');
			expect(await open()).not.toContain('Ny (2001)');
			pass(2);

			expect(await open()).toContain('Ny (2001)');
			expect(lists()).toBe(2);
		});

		it.each<[string, () => void, RegExp]>([
			[
				'the service refuses its list',
				() => failWith(403),
				/^The list of sites could not be read\. This account has no right to read the list of sites\. Ask /,
			],
			[
				'the address of the list cannot be used',
				() => (rig.credential.siteListAddress = '/../list'),
				/^'Site List Address' is not an address below 'Base URL'\. Enter /,
			],
		])(
			'the panel offers the known sites alone if %s, and says why if there are none',
			async (_why, fail, reason) => {
				fail();
				await until(expect(openPanel()).rejects.toThrow(reason));

				rig.credential.knownSites = '1003 Hjemme';
				expect(await open()).toEqual(['Hjemme (1003)']);
			},
		);
	});
});
