import type { IDataObject, INode } from 'n8n-workflow';
import { LIST_SHAPES } from '../../emulator/siteList';
import { ActiveTrigger } from '../../testbed/engine/activeTrigger';
import { NODE, shareRig, type Output, type Rig } from '../../testbed/engine/rig';
import { until } from '../../testbed/wait';
import { credentialsOf, NODE_TYPE, step } from '../../testbed/workflows';

const MINUTE_MS = 60_000;
const PATH = '/list';
const ALL: IDataObject = { operation: 'getManySites', sites: 'all' };
const byName = (value: unknown): IDataObject => ({ siteId: { __rl: true, mode: 'name', value } });
const byIds = (siteIds: string): IDataObject => ({
	operation: 'getManySites',
	sites: 'byId',
	siteIds,
});
const idsIn = ({ items }: Output) => items.map(({ json }) => json.siteId);
const UNREAD = 'The list of sites could not be read';

describe("the service's own list of sites", () => {
	let rig: Rig;
	let laterMs: number;
	shareRig((started) => {
		rig = started;
	});
	beforeEach(() => {
		laterMs = 0;
		const now = performance.now.bind(performance);
		jest.spyOn(performance, 'now').mockImplementation(() => now() + laterMs);
		rig.emulator.settings.siteList = { path: PATH };
		rig.setCredential({ siteListAddress: PATH });
	});
	afterEach(() => {
		jest.restoreAllMocks();
		delete rig.emulator.settings.siteList;
	});

	const lists = () => rig.emulator.journal.count('siteList');
	const allIds = () => [...rig.emulator.sites.keys()];
	const addSite = (siteId: number, siteName: string) => {
		rig.emulator.changeSite(siteId, () => ({ siteId, siteName }));
	};
	const answer = (body: unknown, headers = {}, times = Infinity) => {
		const json = JSON.stringify(body);
		rig.emulator.fail({
			route: 'siteList',
			times,
			fault: {
				kind: 'status',
				status: 200,
				body: json,
				headers: { 'content-type': 'application/json', ...headers },
			},
		});
	};

	describe.each(LIST_SHAPES)('in the form "%s"', (shape) => {
		beforeEach(() => {
			rig.emulator.settings.siteList = { path: PATH, shape };
		});

		it.each<[string, IDataObject, number[]]>([
			['by its name', byName('kråkøya'), [1002]],
			['by its label in a field for IDs', { siteId: 'Kråkøya (1002)' }, [1002]],
			['among names and IDs', byIds('1003, Kråkøya; Storvågen'), [1003, 1002, 1001]],
		])('a site is found %s, with one request for the list', async (_how, parameters, siteIds) => {
			const output = await rig.run(parameters, { input: [{}, {}] });

			expect(output.error).toBeUndefined();
			expect(new Set(idsIn(output))).toEqual(new Set(siteIds));
			expect(lists()).toBe(1);
		});

		it('all its sites are read, in its order', async () => {
			expect(idsIn(await rig.run(ALL))).toEqual(allIds());
			expect(rig.emulator.journal.of('siteList')[0]).toMatchObject({
				method: 'GET',
				url: PATH,
				headers: { 'service-version': '2023-01-01' },
			});
		});
	});

	it('is asked for at the whole address, with its query', async () => {
		rig.setCredential({ siteListAddress: `${rig.emulator.baseUrl}/list?all=true&$top=9` });
		await rig.run(ALL);

		expect(rig.emulator.journal.of('siteList')[0]?.url).toBe('/list?all=true&$top=9');
	});

	describe('costs no request', () => {
		it.each<[string, IDataObject]>([
			['for a site by its ID', { siteId: '1001' }],
			['for a site from the list', { siteId: { __rl: true, mode: 'list', value: 1001 } }],
			["for a site by its name in 'Known Sites'", byName('Hjemme')],
			['for sites by their IDs and known names', byIds('1002, Hjemme')],
			[
				'for sites chosen from the list',
				{ operation: 'getManySites', sites: 'fromList', chosenSites: [1001] },
			],
		])('%s', async (_what, parameters) => {
			rig.credential.knownSites = '1001 Hjemme';

			expect((await rig.run(parameters)).error).toBeUndefined();
			expect(lists()).toBe(0);
		});

		it('for ten minutes after it was read', async () => {
			await rig.run(ALL);
			laterMs = 9 * MINUTE_MS;
			await rig.run(ALL);
			expect(lists()).toBe(1);

			laterMs = 11 * MINUTE_MS;
			addSite(2001, 'Ny');
			expect(idsIn(await rig.run(ALL))).toContain(2001);
			expect(lists()).toBe(2);
		});
	});

	it('is asked for once by executions at the same time', async () => {
		rig.emulator.settings.latencyMs = 20;
		const outputs = await Promise.all([rig.run(ALL), rig.run(byName('Storvågen')), rig.run(ALL)]);
		rig.emulator.settings.latencyMs = 0;

		expect(outputs.map((output) => idsIn(output).length)).toEqual([
			allIds().length,
			1,
			allIds().length,
		]);
		expect(lists()).toBe(1);
	});

	it('goes on for others when the execution that reads it is stopped', async () => {
		rig.emulator.fail({ route: 'siteList', fault: { kind: 'hang' }, times: 1 });
		let stop = () => {};
		const stopped = rig.run(ALL, {
			onStart: (execution) => {
				stop = () => execution.cancel();
			},
		});
		await until(() => lists() === 1);
		const other = rig.run(ALL);
		await new Promise((resolve) => setImmediate(resolve));
		stop();

		await stopped;
		expect(idsIn(await other)).toEqual(allIds());
		expect(lists()).toBe(2);
	});

	it('is read again for an unknown name, once for each execution and once a minute', async () => {
		await rig.run(ALL);
		addSite(2001, 'Nyvika ved Nord');
		expect((await rig.run(byName('Nyvika ved Nord'))).error?.message).toBe(
			`'Site' contains an unknown site: "Nyvika ved Nord"`,
		);
		expect(lists()).toBe(1);

		laterMs = 2 * MINUTE_MS;
		const input = [{ site: 'x1' }, { site: 'Nyvika ved Nord' }, { site: 'x2' }, { site: 'x3' }];
		const { items } = await rig.run(byName('={{ $json.site }}'), {
			input,
			onError: 'continueRegularOutput',
		});
		expect(items.map(({ json }) => json.siteId)).toEqual([null, 2001, null, null]);
		expect(lists()).toBe(2);
	});

	it("comes after 'Known Sites', whose names count", async () => {
		rig.credential.knownSites = '1003 Hjemme\n9999 Gamle\n1001 Storvågen';
		rig.emulator.changeSite(1001, () => undefined);
		const listed = allIds().filter((siteId) => siteId !== 1003);
		const { items } = await rig.run(
			{ ...ALL, options: { ignoreMissing: true } },
			{ onError: 'continueRegularOutput' },
		);
		expect(items.map(({ json }) => json.siteId)).toEqual([1003, ...listed]);
		expect((await rig.run(byName('Ærfuglsundet'))).error).toBeUndefined();
	});

	it("a name that it and 'Known Sites' use for different sites means the known one, whatever came before", async () => {
		rig.credential.knownSites = '1005 Kråkøya';
		const { items } = await rig.run(byName('={{ $json.site }}'), {
			input: [{ site: 'Kråkøya' }, { site: 'Storvågen' }],
			onError: 'continueRegularOutput' as const,
		});

		expect(items.map(({ json }) => json.error ?? json.siteId)).toEqual([1005, 1001]);
	});

	describe('that cannot be read', () => {
		const input = [{ site: 'Storvågen' }, { site: 1002 }, { site: 'Kråkøya' }];
		const each = { siteId: '={{ $json.site }}' };

		it('fails the items that need it, each with the reason, and no others', async () => {
			rig.emulator.fail({ route: 'siteList', fault: { kind: 'status', status: 422 } });
			const { items } = await rig.run(each, { input, onError: 'continueRegularOutput' });

			expect(items.map(({ json }) => json.error ?? json.siteId)).toEqual([UNREAD, 1002, UNREAD]);
			expect(items[0]?.json).toMatchObject({
				httpCode: '422',
				description: expect.stringMatching(
					/^Check 'Site List Address' in the credential\. The service could not carry out the request for the list of sites\. /,
				) as unknown,
			});
			expect(lists()).toBe(1);
		});

		it('stops the execution before a site is asked for', async () => {
			rig.emulator.fail({ route: 'siteList', fault: { kind: 'status', status: 422 } });
			const { error } = await rig.run(each, { input });

			expect(error?.message).toBe(UNREAD);
			expect(rig.emulator.journal.count('site')).toBe(0);
		});

		it("is no missing site, although there is none at its address and 'Ignore Missing Sites' is on", async () => {
			rig.setCredential({ siteListAddress: '/elsewhere' });
			rig.emulator.settings.siteList = { path: '/no' };
			rig.emulator.fail({ route: 'siteList', fault: { kind: 'status', status: 404 } });
			rig.setCredential({ siteListAddress: '/no' });
			const { error } = await rig.run({ ...ALL, options: { ignoreMissing: true } });

			expect(error).toMatchObject({
				message: 'The service has no list of sites at this address',
				description: expect.stringMatching(/^Correct 'Site List Address'/) as unknown,
			});
		});

		it.each<[string, unknown, string]>([
			[
				'no sites',
				{ message: 'Nothing here', total: 0 },
				`The answer for the list of sites cannot be used: it contains no object with a site ID in 'siteId', but the fields "message", "total"`,
			],
		])('because it has %s says what it has', async (_what, body, reason) => {
			answer(body);
			const { error } = await rig.run(ALL);

			expect(error?.message).toBe(UNREAD);
			expect(error?.description).toContain(reason);
		});

		it('for a moment is asked for again', async () => {
			rig.emulator.fail({ route: 'siteList', fault: { kind: 'status', status: 503 }, times: 1 });

			expect(idsIn(await rig.run(ALL))).toEqual(allIds());
		});

		it('is not looked for along a redirect', async () => {
			rig.emulator.fail({
				route: 'siteList',
				fault: { kind: 'status', status: 302, headers: { location: '/meta/sites/1001' } },
			});

			expect((await rig.run(ALL)).error?.message).toBe(UNREAD);
			expect(rig.emulator.journal.count('site')).toBe(0);
		});

		it('shows no token, although the service repeats it', async () => {
			rig.emulator.fail({ route: 'siteList', fault: { kind: 'echo', status: 400 } });
			const { error } = await rig.run(ALL);

			expect(error?.message).toBe(UNREAD);
			expect(JSON.stringify(error)).not.toContain(
				String(rig.emulator.journal.of('token')[0]?.issued),
			);
		});
	});

	it.each<[string, object, object]>([
		['a field for the next page', { nextPage: 2 }, {}],
		['a header for the next page', {}, { link: '</list?page=2>; rel="next"' }],
	])('that has %s is used, and the run says that there is more', async (_what, fields, headers) => {
		answer({ sites: [{ siteId: 1001 }], ...fields }, headers);
		const { items, hints } = await rig.run(ALL);

		expect(items).toHaveLength(1);
		expect(hints.map(({ message }) => message)).toEqual([
			"The service seems to have more sites than its list at 'Site List Address' shows, so the others are not known. Enter them in 'Known Sites' in the credential",
		]);
	});

	it('with entries that cannot be used is used, and the run names these', async () => {
		answer([{ siteId: 1001 }, { siteId: '01002' }]);
		const { items, hints } = await rig.run(ALL);

		expect(items).toHaveLength(1);
		expect(hints.map(({ message }) => message)).toEqual([
			"1 entry of the service's list of sites has an ID that cannot be used and was left out: 01002",
		]);
	});

	it('a known ID means the known site, although the list has a site of that name, beside any other item', async () => {
		rig.credential.knownSites = '1001 Hjemme';
		addSite(2001, '1001');
		const { items } = await rig.run(byName('={{ $json.site }}'), {
			input: [{ site: '1001' }, { site: 'kraakoya' }, { site: 'krakoya' }],
			onError: 'continueRegularOutput',
		});

		expect(items.map(({ json }) => [json.siteId, json.siteName])).toEqual([
			[1001, 'Storvågen'],
			[null, 'kraakoya'],
			[1002, 'Kråkøya'],
		]);
	});

	it('is named as a place of names if a name is unknown', async () => {
		const { error } = await rig.run(byName('Nyvika'));

		expect(error?.description).toMatch(
			/ Enter a name from the service's list of sites or 'Known Sites' in the credential, /,
		);
	});

	describe('in the credential test', () => {
		const test = async () => await rig.engine.testCredential('account');

		it('is read once, and passes', async () => {
			expect(await test()).toMatchObject({ status: 'OK' });
			expect(rig.emulator.journal.requests.map(({ route }) => route)).toEqual([
				...['token', 'siteList', 'token'],
			]);
		});

		it.each<[string, object, RegExp]>([
			[
				'is not at its address',
				{ kind: 'status', status: 404 },
				/^The service has no list of sites at this address\. The login works\. Correct 'Site List Address'/,
			],
			[
				'cannot be asked for so',
				{ kind: 'status', status: 400 },
				/^The list of sites could not be read\. The login works\. Check 'Site List Address'/,
			],
			[
				'has no sites',
				{
					kind: 'status',
					status: 200,
					body: '{"total": 0}',
					headers: { 'content-type': 'application/json' },
				},
				/The login works\. Check 'Site List Address' .*no object with a site ID.*"total"/,
			],
		])('%s, which is said', async (_what, fault, message) => {
			rig.emulator.fail({ route: 'siteList', fault: fault as never });

			expect(await test()).toMatchObject({
				status: 'Error',
				message: expect.stringMatching(message) as unknown,
			});
		});

		it.each([401, 403, 429, 500, 503])('may fail for the moment with status %i', async (status) => {
			rig.emulator.fail({ route: 'siteList', fault: { kind: 'status', status }, times: 1 });

			expect(await test()).toMatchObject({ status: 'OK' });
		});
	});

	it("is refused before any request where its address does not belong to 'Base URL'", async () => {
		rig.setCredential({ siteListAddress: 'https://other.example.com/list' });

		expect((await rig.run({ siteId: '1001' })).error?.message).toBe(
			"'Site List Address' is not an address below 'Base URL'",
		);
		expect(rig.emulator.journal.requests).toEqual([]);
	});

	describe('in the panel', () => {
		const editor = () =>
			rig.engine.loadOptionsContext({
				...step(NODE, NODE_TYPE, {}, { credentials: credentialsOf('account') }),
				position: [0, 0],
			} as INode);
		const open = async () => {
			const list = await rig.engine.nodeType.methods?.loadOptions?.listKnownSites?.call(editor());
			return list?.map(({ name }) => name) ?? [];
		};

		it('shows its sites after the known ones, filtered by what is typed', async () => {
			rig.credential.knownSites = '1003 Hjemme';
			expect((await open()).slice(0, 3)).toEqual([
				'Hjemme (1003)',
				'Storvågen (1001)',
				'Kråkøya (1002)',
			]);

			const search = rig.engine.nodeType.methods?.listSearch?.searchKnownSites;
			const found = await search?.call(editor(), 'kråk');
			expect(found?.results).toEqual([{ name: 'Kråkøya (1002)', value: 1002 }]);
			expect(lists()).toBe(1);
		});

		it('is kept for the runs that follow', async () => {
			await open();
			const { items } = await rig.run(ALL, { input: [{}, {}] });

			expect(items).toHaveLength(allIds().length);
			expect(lists()).toBe(1);
		});

		it('is read again for the next time', async () => {
			await open();
			addSite(2001, 'Ny');
			laterMs = 2 * MINUTE_MS;
			expect(await open()).not.toContain('Ny (2001)');
			await until(async () => (await open()).includes('Ny (2001)'));
			expect(lists()).toBe(2);
		});

		const faulty: Array<[string, () => void, string]> = [
			[
				'the service refuses it',
				() => rig.emulator.fail({ route: 'siteList', fault: { kind: 'status', status: 403 } }),
				'This account has no right to read the list of sites',
			],
			[
				'it is not there',
				() => rig.emulator.fail({ route: 'siteList', fault: { kind: 'status', status: 404 } }),
				'The service has no list of sites at this address',
			],
			[
				'its address cannot be used',
				() => (rig.credential.siteListAddress = '/../list'),
				"'Site List Address' is not an address below 'Base URL'",
			],
		];

		it.each(faulty)('offers the known sites alone if %s', async (_why, fail) => {
			rig.credential.knownSites = '1003 Hjemme';
			fail();

			expect(await open()).toEqual(['Hjemme (1003)']);
		});

		it.each(faulty)(
			'fails with the reason if %s and no site is known',
			async (_why, fail, reason) => {
				fail();

				await expect(open()).rejects.toMatchObject({ message: reason });
			},
		);

		it('is not asked for where its address is blank', async () => {
			rig.credential.knownSites = '1003 Hjemme';
			rig.credential.siteListAddress = ' ';

			expect(await open()).toEqual(['Hjemme (1003)']);
			expect(rig.emulator.journal.requests).toEqual([]);
		});
	});

	describe('in a trigger', () => {
		const later = (minutes: number) => {
			laterMs += minutes * MINUTE_MS;
		};
		const activated = async (parameters: IDataObject = {}) => {
			const trigger = new ActiveTrigger(rig, {
				sites: 'all',
				changes: ['siteRenamed'],
				...parameters,
			});
			expect(await trigger.activate()).toMatchObject({ errors: [] });
			return trigger;
		};
		const rename = (siteId: number, siteName: string) => {
			rig.emulator.changeSite(siteId, (site) => ({ ...site, siteName }));
		};
		const NOTHING = { items: undefined, errors: [] };

		beforeEach(() => {
			for (const siteId of allIds().slice(3)) rig.emulator.changeSite(siteId, () => undefined);
		});

		it('says which sites are watched, and a new one is no change', async () => {
			const trigger = await activated();
			addSite(2001, 'Ny');
			await expect(trigger.poll()).resolves.toEqual(NOTHING);

			later(11);
			await expect(trigger.poll()).resolves.toEqual({ items: [], errors: [] });
			rename(2001, 'Nyere');
			expect((await trigger.poll()).items).toMatchObject([{ siteId: 2001, newValue: 'Nyere' }]);
		});

		it("returns a new site's values with 'Start with Current Values'", async () => {
			const trigger = await activated({ emitCurrentState: true });
			addSite(2001, 'Ny');
			later(11);

			expect((await trigger.poll()).items).toMatchObject([{ siteId: 2001, newValue: 'Ny' }]);
		});

		it('remembers a site that it lacks, and forgets it after a month', async () => {
			const trigger = await activated();
			answer({ sites: [{ siteId: 1001 }, { siteId: 1003 }] }, {}, 1);
			rename(1002, 'Omdøpt');
			later(11);
			await expect(trigger.poll()).resolves.toEqual(NOTHING);
			later(11);
			expect((await trigger.poll()).items).toMatchObject([{ siteId: 1002, newValue: 'Omdøpt' }]);

			rig.emulator.changeSite(1002, () => undefined);
			jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 31 * 24 * 60 * MINUTE_MS);
			later(11);
			expect((await trigger.poll()).errors).toEqual([]);
			rename(1001, 'Nytt navn');
			await trigger.poll();

			expect(JSON.stringify(trigger.stored)).not.toContain('Omdøpt');
			expect(JSON.stringify(trigger.stored)).toContain('Nytt navn');
		});

		it('that cannot be read any more is used as it was, and the failure is reported once', async () => {
			const trigger = await activated();
			rig.emulator.fail({ route: 'siteList', fault: { kind: 'status', status: 403 } });
			later(11);
			rename(1002, 'Omdøpt');

			const { items, errors } = await trigger.poll();
			expect(items).toMatchObject([{ siteId: 1002, newValue: 'Omdøpt' }]);
			expect(errors).toMatchObject([{ message: UNREAD, httpCode: '403' }]);
			await expect(trigger.poll()).resolves.toEqual(NOTHING);
			expect(JSON.stringify(trigger.stored)).toContain('Storvågen');
		});

		it('that cannot be read after a restart of n8n is replaced by the sites that are remembered', async () => {
			const { stored } = await activated();
			rig.setCredential({ ...rig.credential, siteListAddress: '/list?after=restart' });
			const account = rig.credential;
			rig.emulator.fail({ route: 'siteList', fault: { kind: 'status', status: 403 } });
			rig.engine.credentials.stored.set('account', account);
			rename(1002, 'Omdøpt');
			const trigger = new ActiveTrigger(
				rig,
				{ sites: 'all', changes: ['siteRenamed'] },
				{ stored },
			);

			const { items, errors } = await trigger.activate();
			expect(items).toMatchObject([{ siteId: 1002, newValue: 'Omdøpt' }]);
			expect(errors).toMatchObject([{ message: UNREAD }]);
		});

		it('that could never be read is reported, and the workflow is activated', async () => {
			rig.emulator.fail({ route: 'siteList', fault: { kind: 'status', status: 422 }, times: 1 });
			const trigger = new ActiveTrigger(rig, { sites: 'all', changes: ['siteRenamed'] });
			await expect(trigger.activate()).resolves.toMatchObject({ errors: [{ message: UNREAD }] });

			await expect(trigger.poll()).resolves.toMatchObject({ errors: [] });
			rename(1001, 'Nytt');
			expect((await trigger.poll()).items).toMatchObject([{ siteId: 1001, newValue: 'Nytt' }]);
		});

		it('that is not whole lets no site be forgotten', async () => {
			const trigger = await activated();
			later(11);
			answer({ sites: [{ siteId: 1001 }], next: '/list?page=2' });
			await trigger.poll();
			rename(1001, 'Nytt');
			await trigger.poll();

			expect(JSON.stringify(trigger.stored)).toContain('Kråkøya');
		});

		it('names sites by their names', async () => {
			const trigger = await activated({ sites: 'byId', siteIds: 'Kråkøya, 1001' });
			rename(1002, 'Omdøpt');

			expect((await trigger.poll()).items).toMatchObject([{ siteId: 1002, newValue: 'Omdøpt' }]);
			expect(lists()).toBe(1);
		});
	});
});
