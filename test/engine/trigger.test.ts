import type { IDataObject } from 'n8n-workflow';
import { SITES, type StoredSite } from '../../emulator/sites';
import { ActiveTrigger } from '../../testbed/engine/activeTrigger';
import { throwForCode, THROWING_SITE } from './throwing';
import { shareRig, type Rig } from '../../testbed/engine/rig';

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const COLUMNS = [
	'siteId',
	'siteName',
	'change',
	'field',
	'unitId',
	'unitName',
	'oldValue',
	'newValue',
	'seenAt',
];

describe('Aquaculture Trigger', () => {
	let rig: Rig;

	shareRig((started) => {
		rig = started;
	});

	const trigger = (
		parameters: IDataObject = {},
		settings: { stored?: IDataObject; budgetMs?: number; name?: string } = {},
	) => new ActiveTrigger(rig, parameters, settings);
	const change = (siteId: number, edit: (site: StoredSite) => unknown) =>
		rig.emulator.changeSite(siteId, (site) => {
			edit(site);
			return site;
		});
	const relicense = (siteId: number, license: string | null) =>
		change(siteId, (site) => Object.assign(site.info ?? {}, { license }));
	const addresses = () => rig.emulator.journal.of('site').map(({ url }) => url);
	const tellings = (items: IDataObject[] | undefined) =>
		items?.map(({ siteId, change: kind, oldValue, newValue }) => [
			siteId,
			kind,
			oldValue,
			newValue,
		]);
	const nothing = { items: undefined, errors: [] };

	it('remembers the sites when it is activated, and then puts out each change once', async () => {
		const active = trigger({ siteIds: '1001, 1002 1001' });

		await expect(active.activate()).resolves.toEqual(nothing);
		await expect(active.poll()).resolves.toEqual(nothing);
		relicense(1002, 'T-N-0999');
		const { items, errors } = await active.poll();
		await expect(active.poll()).resolves.toEqual(nothing);

		expect(errors).toEqual([]);
		expect(items).toEqual([
			{
				siteId: 1002,
				siteName: 'Kråkøya',
				change: 'infoChanged',
				field: 'license',
				unitId: null,
				unitName: null,
				oldValue: 'T-N-0102',
				newValue: 'T-N-0999',
				seenAt: expect.stringMatching(ISO_TIME) as unknown,
			},
		]);
		expect(Object.keys(items?.[0] ?? {})).toEqual(COLUMNS);
		expect(rig.emulator.journal.count('site')).toBe(8);
		expect(rig.emulator.journal.count('token')).toBe(1);
	});

	it('tells of what happened while n8n was not running, and forgets nothing by a restart', async () => {
		const active = trigger();
		await active.activate();
		relicense(1001, 'M-H-0999');

		const { items } = await active.activate();

		expect(tellings(items)).toEqual([[1001, 'infoChanged', 'M-H-0101', 'M-H-0999']]);
		await expect(active.activate()).resolves.toEqual(nothing);
	});

	it('puts out one item for each thing that happened, those of a unit with the unit', async () => {
		const active = trigger();
		await active.activate();
		change(1001, (site) => {
			site.siteName = 'Storvågen ytre';
			Object.assign(site, { manager: 'K. Berg', area: { code: 7 } });
			Object.assign(site.info ?? {}, { maxTotalBiomass: 3200, timezone: null, depth: 40 });
			const [first, second, third, , ...rest] = site.units ?? [];
			Object.assign(first ?? {}, { unitName: 'Merd 1A' });
			Object.assign(second ?? {}, { latitude: 63.6, longitude: null });
			Object.assign(third ?? {}, { volume: 30000 });
			site.units = [
				{ unitId: 77, unitName: 'Merd 77' },
				...rest.reverse(),
				...[third, second, first].filter((unit) => unit !== undefined),
			];
		});

		const { items } = await active.poll();

		expect(
			items?.map((item) => [
				item.change,
				item.field,
				item.unitId,
				item.unitName,
				item.oldValue,
				item.newValue,
			]),
		).toEqual([
			['siteRenamed', 'siteName', null, null, 'Storvågen', 'Storvågen ytre'],
			['infoChanged', 'maxTotalBiomass', null, null, 3120, 3200],
			['infoChanged', 'timezone', null, null, 'Europe/Oslo', null],
			['infoChanged', 'depth', null, null, null, 40],
			['siteChanged', 'manager', null, null, null, 'K. Berg'],
			['siteChanged', 'area', null, null, null, '{"code":7}'],
			['unitAdded', null, 77, 'Merd 77', null, 'Merd 77'],
			['unitChanged', 'volume', 10012, 'Merd 3', null, 30000],
			['unitMoved', 'position', 10011, 'Merd 2', '63.522, 8.4136', '63.6, unknown'],
			['unitRenamed', 'unitName', 10010, 'Merd 1A', 'Merd 1', 'Merd 1A'],
			['unitRemoved', null, 10013, 'Merd 4', 'Merd 4', null],
		]);
		expect(items?.every((item) => Object.keys(item).join() === COLUMNS.join())).toBe(true);
	});

	it.each<[string[], string]>([
		[['any'], '/meta/sites/1001?$include=units,info'],
		[['any', 'siteRenamed'], '/meta/sites/1001?$include=units,info'],
		[['siteRenamed'], '/meta/sites/1001'],
		[['siteChanged'], '/meta/sites/1001'],
		[['infoChanged', 'siteRenamed'], '/meta/sites/1001?$include=info'],
		[['unitMoved'], '/meta/sites/1001?$include=units'],
	])('asks for no more than %j needs', async (changes, address) => {
		await trigger({ changes }).activate();

		expect(addresses()).toEqual([address]);
	});

	it('does not tell of what is not watched, also not when it is watched later', async () => {
		const active = trigger({ changes: ['infoChanged'], infoFields: ['license'] });
		await active.activate();
		change(1001, (site) => {
			site.siteName = 'Another';
			Object.assign(site.info ?? {}, { code: 'NEW', depth: 4 });
			site.units = [];
		});
		await expect(active.poll()).resolves.toEqual(nothing);

		await expect(active.activate({ changes: ['any'] })).resolves.toEqual(nothing);
		relicense(1001, 'M-H-0999');
		change(1001, (site) => Object.assign(site.info ?? {}, { depth: 5 }));
		const { items } = await active.poll();
		expect(tellings(items)).toEqual([
			[1001, 'infoChanged', 'M-H-0101', 'M-H-0999'],
			[1001, 'infoChanged', 4, 5],
		]);

		await active.activate({ changes: ['siteRenamed'] });
		relicense(1001, 'M-H-1000');
		await active.activate({ siteIds: '1002', changes: ['any'] });
		await expect(active.activate({ changes: ['any'] })).resolves.toEqual(nothing);
		expect(JSON.stringify(active.stored)).not.toContain('Kråkøya');
	});

	it('puts out the current state once, if that is wanted', async () => {
		const parameters = {
			siteIds: '1001',
			changes: ['infoChanged', 'unitAdded'],
			infoFields: ['license', 'code'],
			emitCurrentState: true,
		};
		const active = trigger(parameters);

		const { items } = await active.activate();
		await expect(active.poll()).resolves.toEqual(nothing);
		const { items: later } = await active.activate({ ...parameters, siteIds: '1001 1004' });

		expect(tellings(items)).toEqual([
			[1001, 'currentState', null, 'STO'],
			[1001, 'currentState', null, 'M-H-0101'],
			...Array.from({ length: 8 }, (_, index) => [1001, 'currentState', null, `Merd ${index + 1}`]),
		]);
		expect(new Set(later?.map(({ siteId }) => siteId))).toEqual(new Set([1004]));
	});

	it('puts out the current state of 150,000 units', async () => {
		const units = Array.from({ length: 150_000 }, (_, unitId) => ({ unitId, unitName: 'M' }));
		rig.emulator.fail({
			route: 'site',
			fault: { kind: 'body', body: JSON.stringify({ siteId: 1001, units }) },
		});
		const active = trigger({ changes: ['unitRenamed'], emitCurrentState: true });

		const { items, errors } = await active.activate();

		expect(errors).toEqual([]);
		expect(items).toHaveLength(150_000);
	}, 30_000);

	it('puts out units without an ID once each as the current state', async () => {
		const units = [{ unitName: 'Merd 1' }, { unitName: 'Merd 2' }, {}];
		change(1001, (site) => Object.assign(site, { units }));
		const active = trigger({ changes: ['unitAdded', 'unitRemoved'], emitCurrentState: true });

		const { items } = await active.activate();

		expect(tellings(items)).toEqual([
			[1001, 'currentState', null, 'Merd 1'],
			[1001, 'currentState', null, 'Merd 2'],
		]);
	});

	it('puts out each unit as the current state where only removed ones are watched', async () => {
		const active = trigger({ changes: ['unitRemoved'], emitCurrentState: true });

		const { items } = await active.activate();

		expect(items?.map(({ field, newValue }) => [field, newValue])).toEqual(
			Array.from({ length: 8 }, (_, index) => ['unitName', `Merd ${index + 1}`]),
		);
	});

	it('with a site that fails, tells of the others, and of what it missed when the site is back', async () => {
		const active = trigger({ siteIds: '1001, 1002, 1003' });
		await active.activate();
		relicense(1001, 'NEW-1');
		relicense(1002, 'NEW-2');
		rig.emulator.fail({
			route: 'site',
			siteId: 1002,
			times: 2,
			fault: { kind: 'status', status: 400 },
		});

		const first = await active.poll();
		relicense(1003, 'NEW-3');
		const second = await active.poll();
		const third = await active.poll();

		expect(tellings(first.items)).toEqual([[1001, 'infoChanged', 'M-H-0101', 'NEW-1']]);
		expect(first.errors).toMatchObject([
			{
				name: 'NodeApiError',
				message: 'The service did not accept the request for site 1002',
				httpCode: '400',
				description: expect.stringMatching(/tries again at its next poll/) as unknown,
			},
		]);
		expect(tellings(second.items)).toEqual([[1003, 'infoChanged', 'N-A-0103', 'NEW-3']]);
		expect(second.errors).toEqual([]);
		expect(tellings(third.items)).toEqual([[1002, 'infoChanged', 'T-N-0102', 'NEW-2']]);
		await expect(active.poll()).resolves.toEqual(nothing);
	});

	it.each<[string, string, string]>([
		[
			'a body of 5,000 levels',
			`{"siteId":1002,"new":${'['.repeat(5000)}${']'.repeat(5000)}}`,
			'The answer for site 1002 is nested more than 100 levels deep',
		],
		[
			'an answer that it cannot process',
			THROWING_SITE,
			'The answer for site 1002 could not be processed',
		],
	])('with %s, tells of the others, and of what it missed later', async (_name, body, message) => {
		const active = trigger({ siteIds: '1001 1002 1003' });
		await active.activate();
		relicense(1001, 'NEW-1');
		relicense(1002, 'NEW-2');
		relicense(1003, 'NEW-3');
		throwForCode();
		rig.emulator.fail({ route: 'site', siteId: 1002, times: 2, fault: { kind: 'body', body } });

		const first = await active.poll();
		const second = await active.poll();
		jest.restoreAllMocks();
		const third = await active.poll();

		expect(tellings(first.items)).toEqual([
			[1001, 'infoChanged', 'M-H-0101', 'NEW-1'],
			[1003, 'infoChanged', 'N-A-0103', 'NEW-3'],
		]);
		expect(first.errors).toMatchObject([{ message }]);
		expect(second).toEqual(nothing);
		expect(tellings(third.items)).toEqual([[1002, 'infoChanged', 'T-N-0102', 'NEW-2']]);
	});

	it('shows in the editor that an answer cannot be processed', async () => {
		throwForCode();
		rig.emulator.fail({ route: 'site', fault: { kind: 'body', body: THROWING_SITE } });

		await expect(trigger().fetchTestEvent()).rejects.toMatchObject({
			name: 'NodeApiError',
			message: 'The answer for site 1001 could not be processed',
		});
		jest.restoreAllMocks();
	});

	it('is activated although no site can be reached, and remembers those that it reads later', async () => {
		rig.emulator.fail({ route: 'site', fault: { kind: 'status', status: 500 } });
		const active = trigger({ siteIds: '1001, 1002', options: { maxTries: 1 } });

		const { items, errors } = await active.activate();
		expect(items).toBeUndefined();
		expect(errors).toMatchObject([
			{
				message: '2 sites could not be read',
				description: expect.stringContaining('site 1002') as unknown,
			},
		]);
		await expect(active.poll()).resolves.toEqual(nothing);

		rig.emulator.reset();
		await expect(active.poll()).resolves.toEqual({ items: [], errors: [] });
		relicense(1001, 'NEW-1');
		const { items: later } = await active.activate();
		expect(tellings(later)).toEqual([[1001, 'infoChanged', 'M-H-0101', 'NEW-1']]);
	});

	it('tells of a refused login as the node does, once for all sites', async () => {
		rig.setCredential({ password: 'wrong' });

		const { errors } = await trigger({ siteIds: '1001 1002 1003' }).activate();

		expect(errors).toHaveLength(1);
		expect(errors[0]?.message).toMatch(/The service refused the login|username|password/i);
		expect(rig.emulator.journal.count('token')).toBe(1);
	});

	it('does not tell of missing sites that are to be ignored, nor of a change when they are back', async () => {
		const active = trigger({ siteIds: '1001 1002', options: { ignoreMissing: true } });
		await active.activate();
		rig.emulator.changeSite(1001, () => undefined);
		await expect(active.poll()).resolves.toEqual(nothing);
		rig.emulator.reset();
		await expect(active.poll()).resolves.toEqual(nothing);

		const strict = trigger({ siteIds: '4040' });
		const { errors } = await strict.activate();
		expect(errors).toMatchObject([{ message: 'The service does not know site 4040' }]);
	});

	it.each<[IDataObject, string]>([
		[{ siteIds: ' ' }, "'Site IDs' is empty"],
		[{ siteIds: '1001, two' }, `'Site IDs' contains an entry that is not a site ID: "two"`],
		[{ changes: [] }, "'Trigger On' is empty"],
		[{ changes: ['sold'] }, `'Trigger On' contains a choice that does not exist: "sold"`],
		[{ changes: '={{ 7 }}' }, `'Trigger On' is not a list of choices: "7"`],
		[
			{ changes: ['infoChanged'], infoFields: ['constructor'] },
			`'Info Fields' contains a choice that does not exist: "constructor"`,
		],
		[
			{ options: { timeout: 26 } },
			`'Timeout' is not a number of seconds above 0 and up to 25: "26"`,
		],
		[
			{ options: { dataVersion: 'new' } },
			`'Data Request Version' is not a date in the form YYYY-MM-DD: "new"`,
		],
	])('is not activated with %j, and asks for nothing', async (parameters, message) => {
		await expect(trigger(parameters).activate()).rejects.toMatchObject({
			name: 'NodeOperationError',
			message,
			description: expect.not.stringContaining('item') as unknown,
		});
		await expect(trigger(parameters).fetchTestEvent()).rejects.toMatchObject({ message });
		expect(rig.emulator.journal.requests).toEqual([]);
	});

	it('is not activated with a credential that cannot be used', async () => {
		rig.setCredential({ baseUrl: 'ftp://example.com' });

		await expect(trigger().activate()).rejects.toMatchObject({
			message: "'Base URL' must begin with https://",
		});
	});

	it('tells once of a setting that becomes unusable while it is active', async () => {
		const credential = { ...rig.credential };
		const active = trigger();
		await active.activate();
		rig.setCredential({ ...credential, baseUrl: '' });

		const { errors, items: none } = await active.poll();
		expect(none).toBeUndefined();
		expect(errors).toMatchObject([
			{
				message: "'Base URL' is empty",
				description: expect.stringMatching(/^Correct 'Base URL' in the credential\./) as unknown,
			},
		]);
		await expect(active.poll()).resolves.toEqual(nothing);

		rig.setCredential(credential);
		relicense(1001, 'NEW-1');
		const { items } = await active.poll();
		expect(tellings(items)).toEqual([[1001, 'infoChanged', 'M-H-0101', 'NEW-1']]);
	});

	it('begins anew when the sites are read elsewhere or in another version', async () => {
		const active = trigger();
		await active.activate();
		relicense(1001, 'NEW-1');

		await expect(active.activate({ options: { dataVersion: '2024-06-01' } })).resolves.toEqual(
			nothing,
		);
		relicense(1001, 'NEW-2');
		await expect(active.activate({ options: { dataVersion: '2024-07-01' } })).resolves.toEqual(
			nothing,
		);
	});

	it('begins anew with another account at the same address, and not with another password', async () => {
		const active = trigger();
		await active.activate();
		relicense(1001, 'NEW-1');
		const other = { username: 'other@example.com', password: 'first' };
		rig.emulator.settings.accounts = { [other.username]: other.password };
		rig.setCredential(other);
		await expect(active.activate()).resolves.toEqual(nothing);
		expect(JSON.stringify(active.stored)).not.toContain(other.username);

		relicense(1001, 'NEW-2');
		rig.emulator.settings.accounts = { [other.username]: 'second' };
		rig.setCredential({ ...other, password: 'second' });
		const { items } = await active.poll();
		expect(tellings(items)).toEqual([[1001, 'infoChanged', 'NEW-1', 'NEW-2']]);
	});

	it('remembers at once what the service sends for the first time', async () => {
		change(1001, (site) => delete site.info);
		const active = trigger();
		await active.activate();
		rig.emulator.reset();

		await expect(active.poll()).resolves.toEqual({ items: [], errors: [] });
		await expect(active.poll()).resolves.toEqual(nothing);
		relicense(1001, 'NEW-1');
		expect(tellings((await active.poll()).items)).toEqual([
			[1001, 'infoChanged', 'M-H-0101', 'NEW-1'],
		]);
	});

	it('writes each failure to n8n’s log, also those that no execution tells of', async () => {
		const warn = jest.spyOn(rig.engine.logger, 'warn').mockImplementation(() => {});
		const active = trigger({ siteIds: '4040' });

		await active.activate();
		await active.poll();
		await active.activate({ siteIds: '1001' });

		const entry = [
			'Aquaculture Trigger: The service does not know site 4040.',
			{ workflowId: 'workflow' },
		];
		expect(warn.mock.calls).toEqual([entry, entry]);
		warn.mockRestore();
	});

	it('tells at once of a failure that has another cause', async () => {
		const active = trigger({ siteIds: '1001, 1002', options: { maxTries: 1 } });
		await active.activate();
		const failWith = (status: number) => {
			rig.emulator.reset();
			rig.emulator.fail({ route: 'site', siteId: 1001, fault: { kind: 'status', status } });
		};

		failWith(500);
		const polls = [await active.poll(), await active.poll()];
		failWith(404);
		polls.push(await active.poll(), await active.poll());

		expect(polls.map(({ errors }) => errors.map(({ httpCode }) => httpCode))).toEqual([
			...[['500'], [], ['404'], []],
		]);
	});

	it('tells at once when a login that failed is refused later', async () => {
		rig.setCredential({ password: 'wrong' });
		const active = trigger();
		rig.emulator.fail({ route: 'token', times: 1, fault: { kind: 'status', status: 501 } });
		const failed = await active.activate();
		// Another password would be another account of the service.
		rig.setCredential({ password: 'wrong as well' });
		const polls = [await active.poll(), await active.poll()];

		expect([failed, ...polls].map(({ errors }) => errors.map(({ message }) => message))).toEqual([
			['The service could not answer the login (status 501)'],
			['The service refused the username and password'],
			[],
		]);
	});

	it('writes to n8n’s log, once, that what had failed can be read again', async () => {
		jest.spyOn(rig.engine.logger, 'warn').mockImplementation(() => {});
		const info = jest.spyOn(rig.engine.logger, 'info').mockImplementation(() => {});
		const active = trigger({ siteIds: '1001, 1002' });
		rig.emulator.fail({
			route: 'site',
			siteId: 1002,
			times: 2,
			fault: { kind: 'status', status: 404 },
		});
		await active.activate();

		await active.poll();
		const polls = [await active.poll(), await active.poll()];

		expect(info.mock.calls).toEqual([
			['Aquaculture Trigger: Site 1002 can be read again.', { workflowId: 'workflow' }],
		]);
		expect(polls.flatMap(({ errors }) => errors)).toEqual([]);
		jest.restoreAllMocks();
	});

	it('does not poll beside a poll that is under way', async () => {
		const active = trigger();
		await active.activate();
		rig.emulator.settings.latencyMs = 100;
		relicense(1001, 'NEW-1');

		const outcomes = await Promise.all([active.poll(), active.poll(), active.poll()]);

		rig.emulator.settings.latencyMs = 0;
		expect(outcomes.map(({ items }) => items?.length)).toEqual([1, undefined, undefined]);
		expect(outcomes.flatMap(({ errors }) => errors)).toEqual([]);
		expect(addresses()).toHaveLength(2);
		relicense(1001, 'NEW-2');
		await expect(active.poll()).resolves.toMatchObject({ items: [{ newValue: 'NEW-2' }] });
	});

	it('polls beside another trigger of the workflow, also where both have the same node ID', async () => {
		const active = [trigger(), trigger({ siteIds: '1002' }, { name: 'Another' })];
		await Promise.all(active.map(async (one) => await one.activate()));
		relicense(1001, 'NEW-1');
		relicense(1002, 'NEW-2');

		const outcomes = await Promise.all(active.map(async (one) => await one.poll()));

		expect(outcomes.flatMap(({ items }) => tellings(items))).toEqual([
			[1001, 'infoChanged', 'M-H-0101', 'NEW-1'],
			[1002, 'infoChanged', 'T-N-0102', 'NEW-2'],
		]);
	});

	it('tells of a change once when the workflow is activated anew during a poll', async () => {
		const active = trigger();
		await active.activate();
		rig.emulator.settings.latencyMs = 100;
		relicense(1001, 'NEW-1');

		const [polled, activated] = await Promise.all([active.poll(), active.activate()]);

		rig.emulator.settings.latencyMs = 0;
		expect(polled).toEqual(nothing);
		expect(tellings(activated.items)).toEqual([[1001, 'infoChanged', 'M-H-0101', 'NEW-1']]);
		await expect(active.poll()).resolves.toEqual(nothing);
	});

	it('ends when its time is over, and reads first the next time what it had no time for', async () => {
		const siteIds = SITES.slice(0, 6).map(({ siteId }) => siteId);
		const parameters = {
			siteIds: siteIds.join(),
			changes: ['infoChanged'],
			options: { concurrentRequests: 1 },
		};
		const active = trigger(parameters, { budgetMs: 200 });
		await active.activate();
		siteIds.forEach((siteId) => relicense(siteId, 'NEW'));
		rig.emulator.journal.clear();
		rig.emulator.settings.latencyMs = 60;
		const { errors, items = [] } = await active.poll();
		const askedFirst = rig.emulator.journal.count('site');
		for (let count = 1; count < siteIds.length; count++) {
			items.push(...((await active.poll()).items ?? []));
		}
		rig.emulator.settings.latencyMs = 0;

		expect(errors).toHaveLength(1);
		expect(errors[0]?.message).toMatch(/^\d+ of \d+ sites could not be read within 0.2 seconds$/);
		expect(askedFirst).toBeLessThan(siteIds.length);
		expect(items.map(({ siteId }) => siteId).sort()).toEqual([...siteIds].sort());
	});

	it('tells first of what several sites have in common, then of the sites that failed by themselves', async () => {
		const active = trigger(
			{ siteIds: '4040 1001 1002', options: { concurrentRequests: 1 } },
			{ budgetMs: 2000, name: 'Hurried' },
		);
		rig.emulator.fail({ route: 'site', siteId: 1001, fault: { kind: 'hang' } });

		const { errors } = await active.poll();

		expect(errors).toMatchObject([
			{
				message: '2 of 3 sites could not be read within 2 seconds',
				description: expect.stringMatching(
					/^They come first in the next poll\. .* The service does not know site 4040\. The trigger/,
				) as unknown,
			},
		]);
	});

	// The time that n8n's settings give a poll, which may be long.
	describe.each([36_000, 800_000])('where n8n 2’s scheduler polls, and waits %d ms', (budgetMs) => {
		const SCHEDULED = { budgetMs };

		it('a site that could not be read at activation is watched from the next poll on', async () => {
			const active = trigger({ siteIds: '1001 1002' }, SCHEDULED);
			const fault = { kind: 'status', status: 404 } as const;
			rig.emulator.fail({ route: 'site', siteId: 1002, fault, times: 1 });
			await active.activate();

			const { items: none } = await active.poll();
			relicense(1002, 'NEW-2');
			const { items } = await active.poll();

			expect(none).toEqual([]);
			expect(tellings(items)).toEqual([[1002, 'infoChanged', 'T-N-0102', 'NEW-2']]);
			await expect(active.poll()).resolves.toEqual(nothing);
		});

		it('a poll with what was remembered before the last one tells of nothing again', async () => {
			const active = trigger({ siteIds: '1001 1002' }, SCHEDULED);
			await active.activate();
			const { stored } = active;
			relicense(1001, 'NEW-1');
			const { items } = await active.poll();
			const storedSince = active.stored;
			relicense(1002, 'NEW-2');
			active.stored = stored;

			await expect(active.poll()).resolves.toEqual(nothing);

			active.stored = storedSince;
			const { items: later } = await active.poll();
			expect(tellings(items)).toEqual([[1001, 'infoChanged', 'M-H-0101', 'NEW-1']]);
			expect(tellings(later)).toEqual([[1002, 'infoChanged', 'T-N-0102', 'NEW-2']]);
		});

		it('a failure that goes on is told of once', async () => {
			const active = trigger({ siteIds: '1001 1002' }, SCHEDULED);
			await active.activate();
			rig.emulator.fail({ route: 'site', siteId: 1002, fault: { kind: 'status', status: 403 } });
			const polls = [await active.poll(), await active.poll(), await active.poll()];

			expect(polls.map(({ errors }) => errors.length)).toEqual([1, 0, 0]);
		});

		it('a recovery is written to n8n’s log once', async () => {
			const info = jest.spyOn(rig.engine.logger, 'info').mockImplementation(() => {});
			const active = trigger({ siteIds: '1001 1002' }, SCHEDULED);
			await active.activate();
			const fault = { kind: 'status', status: 404 } as const;
			rig.emulator.fail({ route: 'site', siteId: 1002, fault, times: 2 });
			const polls = [];
			for (let count = 0; count < 5; count++) polls.push(await active.poll());

			expect(info).toHaveBeenCalledTimes(1);
			expect(polls.map(({ items }) => items)).toEqual([[], undefined, [], undefined, undefined]);
			info.mockRestore();
		});

		it('a setting that has become unusable is told of once, and does not end the poll', async () => {
			const active = trigger({ siteIds: '1001' }, SCHEDULED);
			await active.activate();
			rig.setCredential({ baseUrl: '' });
			const polls = [await active.poll(), await active.poll()];

			expect(polls.map(({ errors }) => errors.map(({ message }) => message))).toEqual([
				["'Base URL' is empty"],
				[],
			]);
			expect(polls.map(({ items }) => items)).toEqual([[], undefined]);
		});
	});

	it.each<IDataObject>([
		{ 'node:Aquaculture Trigger': { version: 0, sites: 'old' } },
		{ 'node:Aquaculture Trigger': { version: 1, source: 7, sites: null, told: [1] } },
		{ 'node:Aquaculture Trigger': { lastTimeChecked: '2026-03-02' } },
	])('begins anew where %j is stored', async (stored) => {
		const active = trigger({}, { stored });

		await expect(active.activate()).resolves.toEqual(nothing);
		relicense(1001, 'NEW-1');
		const { items } = await active.poll();
		expect(tellings(items)).toEqual([[1001, 'infoChanged', 'M-H-0101', 'NEW-1']]);
	});

	it('remembers of a site about as much as the service sends of it', async () => {
		const active = trigger({ siteIds: '1001' });
		await active.activate();

		const [site] = SITES;
		expect(JSON.stringify(active.stored).length).toBeLessThan(JSON.stringify(site).length + 500);
	});

	it('compares a field of any name', async () => {
		const active = trigger();
		await active.activate();
		const body = JSON.stringify(SITES[0]).replace('"unitName"', '"__proto__":{"a":1},"unitName"');
		rig.emulator.fail({ route: 'site', times: 3, fault: { kind: 'body', body } });

		const { items } = await active.poll();
		expect(items).toMatchObject([
			{ change: 'unitChanged', field: '__proto__', oldValue: null, newValue: '{"a":1}' },
		]);
		await expect(active.poll()).resolves.toEqual(nothing);
		await expect(active.activate()).resolves.toEqual(nothing);
	});

	it('shows a sample in the editor, or what has changed, and remembers nothing of it', async () => {
		const active = trigger({ changes: ['infoChanged'], infoFields: ['license'] });
		const sample = await active.fetchTestEvent();
		expect(tellings(sample)).toEqual([[1001, 'infoChanged', 'M-H-0101', 'M-H-0101']]);
		expect(Object.keys(sample?.[0] ?? {})).toEqual(COLUMNS);
		expect(active.stored).toEqual({});

		await active.activate();
		relicense(1001, 'NEW-1');
		await expect(active.fetchTestEvent()).resolves.toMatchObject([
			{ oldValue: 'M-H-0101', newValue: 'NEW-1' },
		]);
		const { items } = await active.poll();
		expect(tellings(items)).toEqual([[1001, 'infoChanged', 'M-H-0101', 'NEW-1']]);
	});

	it.each<[string, string | null, unknown, unknown]>([
		['any', 'siteName', 'Storvågen', 'Storvågen'],
		['siteRenamed', 'siteName', 'Storvågen', 'Storvågen'],
		['siteChanged', null, null, null],
		['unitAdded', null, null, 'Merd 1'],
		['unitRemoved', null, 'Merd 1', null],
		['unitRenamed', 'unitName', 'Merd 1', 'Merd 1'],
		['unitMoved', 'position', '63.5218, 8.4127', '63.5218, 8.4127'],
	])('shows a sample for %s', async (kind, field, oldValue, newValue) => {
		const sample = await trigger({ changes: [kind] }).fetchTestEvent();

		const expected = { change: kind === 'any' ? 'siteRenamed' : kind, field, oldValue, newValue };
		expect(sample).toMatchObject([{ siteId: 1001, siteName: 'Storvågen', ...expected }]);
	});

	it('shows a sample of a site that has neither a name nor anything else', async () => {
		change(1001, (site) => {
			site.siteName = null;
			delete site.info;
			delete site.units;
		});

		await expect(trigger({ changes: ['any'] }).fetchTestEvent()).resolves.toMatchObject([
			{ siteId: 1001, change: 'siteRenamed', field: null, oldValue: null, newValue: null },
		]);
	});

	it('says in the editor what a poll would say where no site can be read', async () => {
		const options = { ignoreMissing: true };
		await expect(trigger({ siteIds: '4040 1001' }).fetchTestEvent()).resolves.toHaveLength(1);
		await expect(trigger({ siteIds: '4040', options }).fetchTestEvent()).rejects.toMatchObject({
			message: 'The service does not know any of the sites',
		});
		await expect(trigger({ siteIds: '4040' }).fetchTestEvent()).rejects.toMatchObject({
			name: 'NodeApiError',
			message: 'The service does not know site 4040',
		});
	});
});
