import type { ICredentialDataDecryptedObject, IDataObject, INode } from 'n8n-workflow';
import { AquacultureApi } from '../../credentials/AquacultureApi.credentials';
import type { Fault } from '../../emulator/faults';
import { SITES, type StoredSite } from '../../emulator/sites';
import type { Unit } from '../../nodes/Aquaculture/service/site';
import { HOUR_MS } from '../../nodes/Aquaculture/utils/time';
import { ActiveTrigger, type PollOutcome } from '../../testbed/engine/activeTrigger';
import { useFakeTime } from '../../testbed/engine/fakeTime';
import { useHarness } from '../../testbed/engine/harness';
import { step } from '../../testbed/workflows';
import outputs from '../outputs.json';

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const COLUMNS = Object.keys(outputs['Aquaculture Trigger']);
const NEXT_POLL =
	/ The next poll tries again and reports all changes since\. Until it succeeds, you get this message at most once an hour\.(\n.+)*$/;
const MERDS = Array.from({ length: 8 }, (_, index) => `Merd ${index + 1}`);
/** Names with a meaning in JavaScript, and one of n8n's static data. */
const FIELDS_OF_JAVASCRIPT = ['__proto__', 'constructor', 'toJSON', 'then', '__dataChanged'];
const NOTHING: PollOutcome = { items: undefined, errors: [] };
/** An execution without items makes n8n store the memory. */
const STORED: PollOutcome = { items: [], errors: [] };

const relicensed = (siteId: number, ...values: [oldValue: string, newValue: string]) => {
	return [siteId, 'licenseChanged', ...values];
};
const changesOf = (items: IDataObject[] | undefined) =>
	items?.map(({ siteId, change, oldValue, newValue }) => [siteId, change, oldValue, newValue]);

describe('Aquaculture Trigger', () => {
	const harness = useHarness();

	const trigger = (
		parameters: IDataObject = {},
		settings: ConstructorParameters<typeof ActiveTrigger>[2] = {},
	) => new ActiveTrigger(harness, parameters, settings);
	const activated = async (...made: Parameters<typeof trigger>) => {
		const active = trigger(...made);
		await active.activate();
		return active;
	};
	const pollTimes = async (active: ActiveTrigger, count: number) => {
		const outcomes: PollOutcome[] = [];
		while (outcomes.length < count) outcomes.push(await active.poll());
		return outcomes;
	};
	const expectToBeWatching = async (active: ActiveTrigger) => {
		relicense(1001, 'NEW');
		expect(changesOf((await active.poll()).items)).toEqual([relicensed(1001, 'M-H-0101', 'NEW')]);
	};
	const messagesOf = (outcomes: PollOutcome[]) =>
		outcomes.map(({ errors }) => errors.map(({ message }) => message));
	const change = (siteId: number, edit: (site: StoredSite) => unknown) =>
		harness.emulator.changeSite(siteId, (site) => {
			edit(site);
			return site;
		});
	const relicense = (siteId: number, license: string) =>
		change(siteId, (site) => Object.assign(site.info ?? {}, { license }));
	const failWith = (status: number, which: { siteId?: number; times?: number } = {}) =>
		harness.emulator.fail({ route: 'site', ...which, fault: { kind: 'status', status } });

	describe('items', () => {
		it('reports each change after the activation once, and none from before', async () => {
			const active = trigger({ siteIds: '1001, 1002 1001' });

			await expect(active.activate()).resolves.toEqual(NOTHING);
			await expect(active.poll()).resolves.toEqual(NOTHING);
			relicense(1002, 'T-N-0999');
			const { items, errors } = await active.poll();
			await expect(active.poll()).resolves.toEqual(NOTHING);

			expect(errors).toEqual([]);
			expect(items).toEqual([
				{
					changeId: expect.stringMatching(/^[a-z0-9]{19}$/) as unknown,
					summary: 'Licence of Kråkøya (1002): T-N-0102 → T-N-0999',
					siteName: 'Kråkøya',
					unitName: null,
					fieldName: 'Licence',
					oldValue: 'T-N-0102',
					newValue: 'T-N-0999',
					seenAt: expect.stringMatching(ISO_TIME) as unknown,
					siteId: 1002,
					unitId: null,
					change: 'licenseChanged',
					field: 'license',
				},
			]);
			expect(harness.emulator.journal.count('site')).toBe(8);
			expect(harness.emulator.journal.count('token')).toBe(1);
		});

		it('returns an item with a summary for each change', async () => {
			const active = await activated();
			change(1001, (site) => {
				site.siteName = 'Storvågen ytre';
				Object.assign(site, { manager: 'K. Berg', area: { code: 7, note: 'x'.repeat(100) } });
				Object.assign(site.info ?? {}, { maxTotalBiomass: 3200, timezone: null, depth: 40 });
				const [first, second, third, , ...rest] = site.units ?? [];
				Object.assign(first ?? {}, { unitName: 'Merd 1A' });
				Object.assign(second ?? {}, { latitude: 63.6, longitude: null });
				Object.assign(third ?? {}, { volume: 30000 });
				site.units = [
					{ unitId: 77 },
					{ unitName: 'Merd 78' },
					...rest.reverse(),
					...[third, second, first].filter((unit) => unit !== undefined),
				];
			});

			const { items } = await active.poll();

			const area = `{"code":7,"note":"${'x'.repeat(100)}"}`;
			const site = 'Storvågen ytre (1001)';
			expect(
				items?.map(({ change: kind, field, unitId, unitName, summary }) =>
					[kind, field, unitId, unitName, summary].join('|'),
				),
			).toEqual([
				`siteRenamed|siteName|||Name of ${site}: Storvågen → Storvågen ytre`,
				`siteChanged|manager|||manager of ${site}: (empty) → K. Berg`,
				`siteChanged|area|||area of ${site}: (empty) → ${area.slice(0, 99)}…`,
				`biomassLimitChanged|maxTotalBiomass|||Maximum total biomass of ${site}: 3120 → 3200`,
				`infoChanged|depth|||depth of ${site}: (empty) → 40`,
				`infoChanged|timezone|||Time zone of ${site}: Europe/Oslo → (empty)`,
				`unitAdded||77||Unit 77 added to ${site}`,
				`unitAdded|||Merd 78|Unit Merd 78 added to ${site}`,
				`unitChanged|volume|10012|Merd 3|volume of unit Merd 3 of ${site}: (empty) → 30000`,
				`unitMoved|position|10011|Merd 2|Position of unit Merd 2 of ${site}: 63.522, 8.4136 → 63.6, unknown`,
				`unitRenamed|unitName|10010|Merd 1A|Name of unit Merd 1A of ${site}: Merd 1 → Merd 1A`,
				`unitRemoved||10013|Merd 4|Unit Merd 4 removed from ${site}`,
			]);
			expect(
				items?.map(({ fieldName, oldValue, newValue }) => [fieldName, oldValue, newValue]),
			).toEqual([
				['Name', 'Storvågen', 'Storvågen ytre'],
				['manager', null, 'K. Berg'],
				['area', null, area],
				['Maximum total biomass', 3120, 3200],
				['depth', null, 40],
				['Time zone', 'Europe/Oslo', null],
				['Unit', null, null],
				['Unit', null, 'Merd 78'],
				['volume', null, 30000],
				['Position', '63.522, 8.4136', '63.6, unknown'],
				['Name', 'Merd 1', 'Merd 1A'],
				['Unit', 'Merd 4', null],
			]);
			expect(new Set(items?.map((item) => Object.keys(item).join()))).toEqual(
				new Set([COLUMNS.join()]),
			);
		});

		it.each([
			['is one line', 'A\r\n B\u2028C', 'M-H-0101 → A B C'],
			['quotes values that look the same', 'M-H-0101 ', '"M-H-0101" → "M-H-0101 "'],
			['cuts no character in half', `${'x'.repeat(98)}🐟🐟`, `M-H-0101 → ${'x'.repeat(98)}…`],
			['cuts a long value', 'x'.repeat(1_000_000), `M-H-0101 → ${'x'.repeat(99)}…`],
		])('the summary of a change %s', async (_what, license, values) => {
			const active = await activated();
			relicense(1001, license);

			const { items } = await active.poll();

			const summary = `Licence of Storvågen (1001): ${values}`;
			expect(items).toMatchObject([{ summary, newValue: license }]);
		});

		it.each(FIELDS_OF_JAVASCRIPT)('reports changes of the field %s', async (name) => {
			const active = await activated();
			const fields = (value: number) => `"${name}":{"a":${value}},`;
			const send = (value: number) => {
				const body = JSON.stringify(SITES[0])
					.replace('"siteName"', `${fields(value)}"siteName"`)
					.replace('"license"', `${fields(value)}"license"`)
					.replace('"unitName"', `${fields(value)}"unitName"`);
				harness.emulator.reset();
				harness.emulator.fail({ route: 'site', fault: { kind: 'body', body } });
			};
			const changed = (oldValue: string | null, newValue: string) =>
				['siteChanged', 'infoChanged', 'unitChanged'].map((kind) => {
					return expect.objectContaining({
						...{ change: kind, field: name, oldValue, newValue },
					}) as unknown;
				});

			send(1);
			const { items: first } = await active.poll();
			send(2);
			const { items: second } = await active.poll();
			await expect(active.poll()).resolves.toEqual(NOTHING);
			await expect(active.activate()).resolves.toEqual(NOTHING);
			send(3);
			const { items: third } = await active.poll();

			expect(first).toEqual(changed(null, '{"a":1}'));
			expect(second).toEqual(changed('{"a":1}', '{"a":2}'));
			expect(third).toEqual(changed('{"a":2}', '{"a":3}'));
		});
	});

	it('ignores the order of units with the same ID or none', async () => {
		const twins = [
			{ unitId: 1, unitName: 'A' },
			{ unitId: 1, unitName: 'B' },
		];
		const nameless = Array.from({ length: 20_000 }, (_, index) => ({ volume: index }));
		const send = (units: Unit[]) => change(1001, (site) => Object.assign(site, { units }));
		send([...twins, ...nameless]);
		const active = await activated();

		send([...nameless, ...twins].reverse());
		await expect(active.poll()).resolves.toEqual(NOTHING);
		send([...twins.slice(1), ...nameless, { volume: -1 }]);
		const { items } = await active.poll();

		expect(items?.map(({ summary }) => summary)).toEqual([
			'Unit without name added to Storvågen (1001)',
			'Unit A removed from Storvågen (1001)',
		]);
	});

	it('reads whole sites, whatever Trigger On says', async () => {
		await activated({ changes: ['siteRenamed'] });

		const [{ url = '' } = {}] = harness.emulator.journal.of('site');
		expect(url).toBe('/meta/sites/1001?$include=units,info');
	});

	it.each<[IDataObject, string]>([
		[{ changes: ['any'], sites: 'all' }, 'Any Change: all sites'],
		[
			{ changes: ['licenseChanged', 'unitAdded'], sites: 'fromList', chosenSites: [1001, 1002] },
			'Licence Changed, Unit Added: 2 sites',
		],
		[{ changes: ['unitMoved'], sites: 'byId', siteIds: '1001' }, 'Unit Moved: sites 1001'],
	])('has a subtitle for %j', (parameters, subtitle) => {
		const { description } = harness.engine.triggerType;
		const type = 'n8n-nodes-aquaculture.aquacultureTrigger';
		const node = { ...step('Trigger', type, parameters), position: [0, 0] } as INode;
		const silent = { __emit: () => {}, __emitError: () => {} };
		const { workflow } = harness.engine.pollContext(node, 'trigger', {}, silent);

		const shown = workflow.expression.getSimpleParameterValue(
			workflow.getNode(node.name) as INode,
			description.subtitle,
			'internal',
			{},
		);
		expect(shown).toBe(subtitle);
	});

	describe('the current state', () => {
		it('is reported once per site, with an item for each value', async () => {
			const changes = ['licenseChanged', 'biomassLimitChanged', 'unitRemoved'];
			const parameters = { changes, emitCurrentState: true };
			const active = trigger(parameters);

			const { items } = await active.activate();
			await expect(active.poll()).resolves.toEqual(NOTHING);
			const { items: later } = await active.activate({ ...parameters, siteIds: '1001 1004' });

			expect(items?.map(({ summary }) => summary)).toEqual([
				'Licence of Storvågen (1001): M-H-0101',
				'Maximum total biomass of Storvågen (1001): 3120',
				...MERDS.map((name) => `Name of unit ${name} of Storvågen (1001): ${name}`),
			]);
			expect(items?.[2]).toMatchObject({ field: 'unitName', oldValue: null, newValue: 'Merd 1' });
			expect(new Set(later?.map(({ siteId }) => siteId))).toEqual(new Set([1004]));
		});

		it('includes the names of units without an ID', async () => {
			const units = [{ unitName: 'Merd 1' }, { unitName: 'Merd 2' }, {}];
			change(1001, (site) => Object.assign(site, { units }));
			const changes = ['unitAdded', 'unitRemoved'];

			const { items } = await trigger({ changes, emitCurrentState: true }).activate();

			expect(items).toMatchObject(
				['Merd 1', 'Merd 2'].map((newValue) => {
					const summary = `Name of unit ${newValue} of Storvågen (1001): ${newValue}`;
					return { change: 'currentState', field: 'unitName', oldValue: null, newValue, summary };
				}),
			);
			expect(items?.map((item) => Object.keys(item))).toEqual([COLUMNS, COLUMNS]);
		});
	});

	describe('failures', () => {
		it('lose no changes, neither of the failed site nor of others', async () => {
			const active = await activated({ siteIds: '1001 1002 1003' });
			relicense(1001, 'NEW-1');
			relicense(1002, 'NEW-2');
			const fault = { kind: 'status', status: 400 } as const;
			harness.emulator.fail({ route: 'site', siteId: 1002, times: 2, fault });

			const first = await active.poll();
			relicense(1003, 'NEW-3');
			const second = await active.poll();
			const third = await active.poll();

			expect(changesOf(first.items)).toEqual([relicensed(1001, 'M-H-0101', 'NEW-1')]);
			expect(first.errors).toMatchObject([
				{
					name: 'NodeApiError',
					message: 'The service did not accept the request for site 1002',
					httpCode: '400',
					context: { data: { code: 'bad_request' } },
					description: expect.stringMatching(NEXT_POLL) as unknown,
				},
			]);
			expect(changesOf(second.items)).toEqual([relicensed(1003, 'N-A-0103', 'NEW-3')]);
			expect(second.errors).toEqual([]);
			expect(changesOf(third.items)).toEqual([relicensed(1002, 'T-N-0102', 'NEW-2')]);
			await expect(active.poll()).resolves.toEqual(NOTHING);
		});

		it('of the login are reported once for all sites, and again when the reason changes', async () => {
			harness.setCredential({ password: 'wrong' });
			const active = trigger({ siteIds: '1001 1002 1003' });
			harness.emulator.fail({ route: 'token', times: 1, fault: { kind: 'status', status: 501 } });
			const failed = await active.activate();
			// A new username and password, since the old login is in backoff.
			harness.setCredential({ password: 'wrong as well' });
			const polls = await pollTimes(active, 2);

			expect(messagesOf([failed, ...polls])).toEqual([
				['The service could not answer the login (status 501)'],
				['The service refused the username and password'],
				[],
			]);
			expect(harness.emulator.journal.count('token')).toBe(2);
		});

		it('do not include missing sites with Ignore Missing Sites', async () => {
			const active = await activated({ siteIds: '1001 1002', options: { ignoreMissing: true } });

			harness.emulator.changeSite(1001, () => undefined);
			await expect(active.poll()).resolves.toEqual(NOTHING);
			harness.emulator.reset();
			await expect(active.poll()).resolves.toEqual(NOTHING);
			await expectToBeWatching(active);
		});

		it.each<[string, IDataObject, string]>([
			['Site IDs', { siteIds: '1001 1002' }, "'Site IDs'"],
			['Known Sites', { sites: 'all' }, "'Known Sites' in the credential"],
			['the list', { sites: 'fromList', chosenSites: [1001, 1002] }, "'Site Names or IDs'"],
		])('say that a forbidden site from %s is tried again', async (_name, parameters, list) => {
			harness.credential.knownSites = '1001\n1002';
			failWith(403, { siteId: 1002 });

			const options = { ignoreMissing: true };
			const { errors } = await trigger({ ...parameters, options }).activate();

			expect(errors).toHaveLength(1);
			expect(errors[0]?.message).toMatch(/^This account may not read site (Kråkøya \()?1002/);
			expect(errors[0]?.description?.split('\n').slice(0, 2)).toEqual([
				'Ask the operator of the service for the right to read it, or use another account.',
				`Other sites are still watched; this one is tried again at each poll. If it is gone for good, remove it from ${list}. Until then, you get this message at most once an hour.`,
			]);
		});

		it('include a forbidden site with Ignore Missing Sites, and its changes come later', async () => {
			const parameters = { siteIds: '1001 1002', options: { ignoreMissing: true } };
			const active = await activated(parameters);
			relicense(1002, 'NEW-2');
			failWith(403, { siteId: 1002 });

			expect(messagesOf(await pollTimes(active, 2))).toEqual([
				['This account may not read site 1002'],
				[],
			]);
			harness.emulator.reset();
			relicense(1002, 'NEW-3');
			expect(changesOf((await active.poll()).items)).toEqual([
				relicensed(1002, 'T-N-0102', 'NEW-3'),
			]);
		});

		it('do not include unknown sites with Ignore Missing Sites, which the activation names', async () => {
			const siteIds = '1001 1002 4041 4042';
			const active = trigger({ siteIds, options: { ignoreMissing: true } });

			const activation = await active.activate();
			harness.emulator.changeSite(1002, () => undefined);
			await expect(active.poll()).resolves.toEqual(NOTHING);

			expect(messagesOf([activation])).toEqual([
				[
					"The service does not know 2 sites, left out because of 'Ignore Missing Sites': 4041, 4042",
				],
			]);
			expect(harness.engine.logMessages('warn')).toEqual([]);
			await expectToBeWatching(active);
		});

		it('names a site once if neither its info nor its units can be used', async () => {
			change(1001, (site) => Object.assign(site, { info: 'closed', units: { 1: {} } }));

			const { errors } = await trigger({ siteIds: '1001' }).activate();

			expect(errors[0]?.description).not.toContain('other sites');
			expect(errors).toMatchObject([
				{
					message: "The answer for site 1001 cannot be used: 'info' is not an object",
					description: expect.stringMatching(
						/'info' is not an object\.\n.*'units' is not a list of objects\.\nCheck 'Data Request Version'/,
					) as unknown,
				},
			]);
		});

		it('include a 404 for all sites with Ignore Missing Sites', async () => {
			failWith(404);
			const options = { ignoreMissing: true };

			const outcome = await trigger({ siteIds: '1001 1002', options }).activate();

			expect(messagesOf([outcome])).toEqual([['2 sites could not be read: 1001, 1002']]);
			expect(outcome.errors[0]?.description).toMatch(
				/\nCheck 'Base URL' in the credential, then the site IDs\. The service knows none of the sites\. The next poll/,
			);
			expect(outcome.errors[0]?.description).not.toContain('Ignore Missing Sites');
		});

		it("of an unknown site of 'All Sites' name its line in 'Known Sites'", async () => {
			harness.credential.knownSites = '1001\n1002';
			failWith(404, { siteId: 1002 });

			const { errors } = await trigger({ sites: 'all' }).activate();

			expect(errors.map(({ description }) => description?.split('\n')[0])).toEqual([
				"Correct its line in 'Known Sites' in the credential.",
			]);
		});

		it('with a text that changes at each poll are reported once', async () => {
			let evaluations = 0;
			harness.engine.variables = {
				get changing() {
					evaluations += 1;
					return evaluations;
				},
			};
			const partly = await activated({ siteIds: "={{ '1001, x' + $vars.changing }}" });
			const wholly = await activated({}, { name: 'Another' });

			const polls = await pollTimes(partly, 2);
			for (const requestsPerMinute of ['x1', 'x2', 'x3']) {
				harness.setCredential({ ...harness.credential, requestsPerMinute });
				polls.push(await wholly.poll());
			}

			expect(messagesOf(polls).map(({ length }) => length)).toEqual([0, 0, 1, 0, 0]);
		});

		describe('after all retries', () => {
			const { settle } = useFakeTime();

			it('of all sites do not prevent the activation', async () => {
				failWith(500);
				const siteIds = '1001 1002 1003 1004 1005 1006 1007';
				const active = trigger({ siteIds });

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

			it.each([403, 503])(
				'do not include a missing site with Ignore Missing Sites if the others answer %d',
				async (status) => {
					failWith(status, { siteId: 1002 });
					failWith(status, { siteId: 1003 });
					const options = { ignoreMissing: true };

					const active = trigger({ siteIds: '4041 1002 1003', options });
					const { errors } = await settle(active.activate());

					expect(errors.map(({ message }) => message)).toEqual([
						'2 sites could not be read: 1002, 1003',
						"The service does not know 1 site, left out because of 'Ignore Missing Sites': 4041",
					]);
					expect(errors[0]?.description).not.toContain('Ignore Missing Sites');
				},
			);

			it.each<Fault>([
				...[302, 400, 403, 404, 418, 422, 500].map(
					(status) => ({ kind: 'status', status }) as const,
				),
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
	});

	describe('a list with an unknown site', () => {
		const UNKNOWN = `'Site IDs' contains an unknown site: "two"`;

		it('is reported once, while the others are watched', async () => {
			const active = trigger({ siteIds: '1001, two' });

			const { errors } = await active.activate();
			expect(errors.map(({ message }) => message)).toEqual([UNKNOWN]);
			relicense(1001, 'NEW-1');
			const { items, errors: later } = await active.poll();
			expect(changesOf(items)).toEqual([relicensed(1001, 'M-H-0101', 'NEW-1')]);
			expect(later).toEqual([]);
		});

		it('does not make the trigger forget the site', async () => {
			harness.credential.knownSites = '1002 two';
			const active = trigger({ siteIds: '1001, two' });
			await active.activate();
			harness.credential.knownSites = '';
			await pollTimes(active, 2);
			relicense(1002, 'NEW-2');

			harness.credential.knownSites = '1002 two';
			const { items } = await active.poll();

			expect(changesOf(items)).toEqual([relicensed(1002, 'T-N-0102', 'NEW-2')]);
		});
	});

	it('reports another unusable setting within the hour, and one that returns', async () => {
		const active = await activated();
		const { baseUrl = '' } = harness.credential;
		const edits = [{ baseUrl: '' }, { baseUrl: '' }, { baseUrl: 'ftp://x' }, { baseUrl }];
		const messages: unknown[] = [];
		for (const edit of [...edits, { baseUrl: '' }]) {
			Object.assign(harness.credential, edit);
			messages.push(...messagesOf([await active.poll()]));
		}

		expect(messages).toEqual([
			["'Base URL' is empty"],
			[],
			["'Base URL' must begin with https://"],
			[],
			["'Base URL' is empty"],
		]);
	});

	describe('unusable settings', () => {
		it.each<[string, IDataObject]>([
			[`'Site IDs' contains an unknown site: "two"`, { siteIds: 'two, three' }],
			[`'Trigger On' is empty`, { changes: [] }],
			[`'Trigger On' contains a choice that does not exist: "sold"`, { changes: ['sold'] }],
			[`'Trigger On' is not a list of choices: "7"`, { changes: '={{ 7 }}' }],
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

		it('of the credential are reported once while the workflow is active', async () => {
			const credential = { ...harness.credential };
			const active = await activated();
			harness.setCredential({ ...credential, baseUrl: '' });

			const { errors, items } = await active.poll();
			expect(items).toBeUndefined();
			expect(errors).toMatchObject([
				{
					message: "'Base URL' is empty",
					description: expect.stringMatching(/^Correct 'Base URL' in the credential\./) as unknown,
				},
			]);
			await expect(active.poll()).resolves.toEqual(NOTHING);
			await expect(active.activate()).rejects.toMatchObject({
				message: expect.stringMatching(/^'Base URL' is empty\. Correct 'Base URL'/) as unknown,
			});

			harness.setCredential(credential);
			await expectToBeWatching(active);
		});
	});

	describe('known sites', () => {
		const withLines = (knownSites: string) => {
			harness.credential.knownSites = knownSites;
		};
		const FAILURE = {
			message:
				"Some lines of 'Known Sites' in the credential do not begin with one site ID, or repeat an ID",
			description: expect.stringMatching(
				/^Correct 'Known Sites' in the credential: .*\nLeft out: line 2 \(Kråkøya 1002\)\. The trigger still watches the other sites\. The next poll tries again/,
			) as unknown,
		};

		it('with an unusable line are reported, and the trigger forgets no site', async () => {
			withLines('1001 Storvågen\n1002 Kråkøya');
			const active = await activated({ sites: 'all' });

			withLines('1001 Storvågen\nKråkøya 1002\n1001 Storvågen');
			relicense(1001, 'NEW-1');
			relicense(1002, 'NEW-2');
			const { items, errors } = await active.poll();
			expect(changesOf(items)).toEqual([relicensed(1001, 'M-H-0101', 'NEW-1')]);
			expect(errors).toMatchObject([FAILURE]);
			await expect(active.poll()).resolves.toEqual(NOTHING);

			withLines('1001 Storvågen\n1002 Kråkøya');
			expect(changesOf((await active.poll()).items)).toEqual([
				relicensed(1002, 'T-N-0102', 'NEW-2'),
			]);
		});

		it('without a site make the trigger forget it', async () => {
			withLines('1001 Storvågen\n1002 Kråkøya');
			const active = await activated({ sites: 'all' });
			expect(JSON.stringify(active.stored)).toContain('Kråkøya');

			withLines('1001 Storvågen');
			await active.activate();

			expect(JSON.stringify(active.stored)).not.toContain('Kråkøya');
		});
	});

	describe('changeId', () => {
		const idsAfter = async (license: string, ...triggers: ActiveTrigger[]) => {
			relicense(1001, license);
			const outcomes = await Promise.all(triggers.map(async (active) => await active.poll()));
			return outcomes.flatMap(({ items }) => items?.map(({ changeId }) => changeId));
		};

		it('differs between nodes, workflows and copies of a workflow', async () => {
			const active = await activated();
			const { stored } = active;
			const others = [
				await activated({}, { name: 'Renamed' }),
				await activated({}, { workflowId: 'another' }),
				await activated({}, { workflowId: 'copy', stored }),
			];

			const ids = await idsAfter('B', active, ...others);

			expect(ids).toHaveLength(4);
			expect(new Set(ids).size).toBe(4);
		});

		it('is unique for each current value', async () => {
			const active = trigger({ emitCurrentState: true });
			const { items = [] } = await active.activate();

			const ids = [...items.map(({ changeId }) => changeId), ...(await idsAfter('B', active))];

			expect(ids.length).toBeGreaterThan(10);
			expect(new Set(ids).size).toBe(ids.length);
		});

		it('of a test event is that of the change, or new for each sample', async () => {
			const active = await activated();
			const idOfTestEvent = async () => (await active.fetchTestEvent())?.[0]?.changeId;
			const samples = [await idOfTestEvent(), await idOfTestEvent()];
			relicense(1001, 'B');
			const shown = await idOfTestEvent();

			expect((await active.poll()).items).toMatchObject([{ changeId: shown }]);
			expect(new Set([...samples, shown]).size).toBe(3);
		});
	});

	describe('the memory', () => {
		it.each<[string, (url: string) => IDataObject, unknown[] | undefined]>([
			['version', () => ({ dataVersion: '2024-06-01' }), undefined],
			['address', (url) => ({ baseUrl: url.replace('127.0.0.1', 'localhost') }), undefined],
			['account', () => ({ username: 'other@example.com' }), undefined],
			['password', () => ({ password: 'second' }), [relicensed(1001, 'M-H-0101', 'NEW')]],
		])(
			'survives an edit of the %s only if the sites stay the same',
			async (_name, edit, expected) => {
				const active = await activated();
				relicense(1001, 'NEW');
				const edited = { ...harness.credential, ...edit(harness.emulator.baseUrl) };
				harness.setCredential(edited as ICredentialDataDecryptedObject);
				const username = String(edited.username);
				harness.emulator.settings.accounts = { [username]: String(edited.password) };

				const { items } = await active.activate();

				expect(changesOf(items)).toEqual(expected);
				expect(JSON.stringify(active.stored)).not.toContain(username);
				relicense(1001, 'NEWER');
				expect(changesOf((await active.poll()).items)).toEqual([relicensed(1001, 'NEW', 'NEWER')]);
			},
		);

		it('is stored when the service sends a part for the first time', async () => {
			change(1001, (site) => delete site.info);
			const active = await activated();
			harness.emulator.reset();

			await expect(active.poll()).resolves.toEqual(STORED);
			await expect(active.poll()).resolves.toEqual(NOTHING);
			await expectToBeWatching(active);
		});

		it.each([
			['', false],
			[', also with what n8n has stored alone', true],
		])("gives a kind that is added to 'Trigger On' a new base%s", async (_also, isRestarted) => {
			const both = ['licenseChanged', 'biomassLimitChanged'];
			const limit = (maxTotalBiomass: number) =>
				change(1001, (site) => Object.assign(site.info ?? {}, { maxTotalBiomass }));
			const first = await activated({ changes: ['licenseChanged'] });
			limit(900);
			await first.poll();
			relicense(1001, 'NEW');
			const settings = { stored: first.stored, ...(isRestarted && { workflowId: 'restarted' }) };
			const active = trigger({ changes: both }, settings);

			const { items } = await active.activate();
			limit(800);
			const { items: next } = await active.poll();

			expect(changesOf(items)).toEqual([relicensed(1001, 'M-H-0101', 'NEW')]);
			expect(changesOf(next)).toEqual([[1001, 'biomassLimitChanged', 900, 800]]);
		});

		const NODE = 'node:Aquaculture Trigger';

		it('of a damaged site starts again without a change', async () => {
			const active = await activated({ siteIds: '1001 1002 1003' });
			const { sites } = active.stored[NODE] as { sites: Record<number, unknown> };
			Object.assign(sites, { 1001: { siteName: 7 }, 1003: null });
			relicense(1002, 'NEW-2');

			const again = await active.activate();

			expect(messagesOf([again])).toEqual([[]]);
			expect(changesOf(again.items)).toEqual([relicensed(1002, 'T-N-0102', 'NEW-2')]);
			await expect(active.poll()).resolves.toEqual(NOTHING);
			await expectToBeWatching(active);
		});
	});

	describe('concurrent polls', () => {
		it('of two triggers with the same node ID do not interfere', async () => {
			const active = [trigger(), trigger({ siteIds: '1002' }, { name: 'Another' })];
			await Promise.all(active.map(async (one) => await one.activate()));
			relicense(1001, 'NEW-1');
			relicense(1002, 'NEW-2');

			const outcomes = await Promise.all(active.map(async (one) => await one.poll()));

			expect(outcomes.flatMap(({ items }) => changesOf(items))).toEqual([
				relicensed(1001, 'M-H-0101', 'NEW-1'),
				relicensed(1002, 'T-N-0102', 'NEW-2'),
			]);
		});
	});

	describe("with n8n 2's scheduler", () => {
		const watching = async (settings: Parameters<typeof trigger>[1] = {}) =>
			await activated({ siteIds: '1001 1002' }, { budgetMs: 36_000, ...settings });
		afterEach(() => jest.restoreAllMocks());

		it('remembers what the activation has read, and lets n8n store it at the next poll', async () => {
			const active = await watching({ durableCursors: true });
			expect(active.stored).toEqual({});
			relicense(1002, 'NEW-2');
			const { items } = await active.poll();
			const { stored } = active;
			await expect(active.poll()).resolves.toEqual(NOTHING);

			expect(changesOf(items)).toEqual([relicensed(1002, 'T-N-0102', 'NEW-2')]);
			expect(JSON.stringify(stored)).toContain('M-H-0101');
		});

		it('stores a site without an execution of its own only once', async () => {
			failWith(404, { siteId: 1002, times: 1 });
			const active = await watching();

			await expect(active.poll()).resolves.toEqual(STORED);
			await expect(active.poll()).resolves.toEqual(NOTHING);
			relicense(1002, 'NEW-2');
			const { items } = await active.poll();

			expect(changesOf(items)).toEqual([relicensed(1002, 'T-N-0102', 'NEW-2')]);
		});

		it('starts no execution to store the memory where n8n stores it anyway', async () => {
			const active = await watching({ durableCursors: true });

			await expect(active.poll()).resolves.toEqual(NOTHING);
			relicense(1001, 'NEW');
			// Another process.
			const settings = { budgetMs: 36_000, durableCursors: true, workflowId: 'other' };
			const other = trigger({ siteIds: '1001 1002' }, { ...settings, stored: active.stored });

			expect(changesOf((await other.poll()).items)).toEqual([relicensed(1001, 'M-H-0101', 'NEW')]);
		});

		it.each<[string, () => void, string]>([
			['a failure', () => failWith(403, { siteId: 1002 }), 'This account may not read site 1002'],
			[
				'a setting that has become unusable',
				() => void harness.setCredential({ baseUrl: '' }),
				"'Base URL' is empty",
			],
		])('reports %s once', async (_name, fail, message) => {
			const active = await watching();
			await expect(active.poll()).resolves.toEqual(NOTHING);
			fail();

			const polls = await pollTimes(active, 2);

			expect(messagesOf(polls)).toEqual([[message], []]);
			expect(polls.map(({ items }) => items)).toEqual([undefined, undefined]);
		});

		it.each([
			['', 0],
			[', and the clock was set back', HOUR_MS],
		])(
			'reports a change once, although another trigger restored an older memory%s',
			async (_name, backMs) => {
				const active = await watching({ name: 'First' });
				await active.poll();
				const old = structuredClone(active.stored);
				const now = Date.now.bind(Date);
				jest.spyOn(Date, 'now').mockImplementation(() => now() - backMs);
				relicense(1001, 'NEW-1');
				const { items } = await active.poll();

				active.stored = old;
				const { items: again } = await active.poll();
				relicense(1001, 'NEW-2');
				const { items: next } = await active.poll();

				expect(changesOf(items)).toEqual([relicensed(1001, 'M-H-0101', 'NEW-1')]);
				expect(again).toBeUndefined();
				expect(changesOf(next)).toEqual([relicensed(1001, 'NEW-1', 'NEW-2')]);
			},
		);
	});

	describe('test events', () => {
		it('are a sample or the changes, and leave the memory alone', async () => {
			const active = trigger({ changes: ['licenseChanged'], emitCurrentState: true });
			const sample = await active.fetchTestEvent();
			expect(sample).toEqual([
				{
					summary: 'Sample: Licence of Storvågen (1001): M-H-0101',
					siteName: 'Sample: Storvågen',
					unitName: null,
					fieldName: 'Sample: Licence',
					oldValue: null,
					newValue: 'Sample: M-H-0101',
					seenAt: expect.stringMatching(ISO_TIME) as unknown,
					siteId: 1001,
					unitId: null,
					change: 'currentState',
					field: 'license',
					changeId: expect.stringMatching(/^sample-[a-z0-9]{19}$/) as unknown,
				},
			]);
			expect(Object.keys(sample?.[0] ?? {})).toEqual(COLUMNS);
			expect(active.stored).toEqual({});

			await active.activate();
			relicense(1001, 'NEW-1');
			const summary = 'Licence of Storvågen (1001): M-H-0101 → NEW-1';
			await expect(active.fetchTestEvent()).resolves.toMatchObject([{ summary }]);
			await expect(active.poll()).resolves.toMatchObject({ items: [{ summary }] });
		});

		const SITE = 'Storvågen (1001)';
		const UNIT = `unit Merd 1 of ${SITE}`;
		const BARE = { siteName: null, info: undefined, units: undefined };
		it.each<[string, object, string, unknown, string]>([
			['any', {}, 'siteName', 'Sample: Storvågen', `Name of ${SITE}: Storvågen`],
			[
				...(['biomassLimitChanged', {}, 'maxTotalBiomass', 3120] as const),
				`Maximum total biomass of ${SITE}: 3120`,
			],
			['siteChanged', {}, 'siteName', 'Sample: Storvågen', `Name of ${SITE}: Storvågen`],
			['siteChanged', { isOpen: true }, 'isOpen', true, `isOpen of ${SITE}: true`],
			['unitAdded', {}, 'unitName', 'Sample: Merd 1', `Name of ${UNIT}: Merd 1`],
			[
				...(['unitMoved', {}, 'position', 'Sample: 63.5218, 8.4127'] as const),
				`Position of ${UNIT}: 63.5218, 8.4127`,
			],
		])('for %s of %j are a current value', async (kind, edit, field, newValue, summary) => {
			change(1001, (site) => Object.assign(site, edit));

			await expect(trigger({ changes: [kind] }).fetchTestEvent()).resolves.toMatchObject([
				{ siteId: 1001, field, oldValue: null, newValue, summary: `Sample: ${summary}` },
			]);
		});

		it('are empty if a site has no value', async () => {
			change(1001, (site) => Object.assign(site, BARE));

			await expect(trigger().fetchTestEvent()).resolves.toEqual([]);
		});

		it('are a sample although another site is unknown, forbidden or misspelt', async () => {
			failWith(403, { siteId: 1002 });

			await expect(
				trigger({ siteIds: '4041, two, 1002, 1001' }).fetchTestEvent(),
			).resolves.toMatchObject([{ siteId: 1001 }]);
		});

		it('fail with the names of all sites if none can be read', async () => {
			const siteIds = [4041, 4042, 4043, 4044, 4045, 4046, 4047, 4048];
			const options = { ignoreMissing: true };
			const fetch = async (ids: number[], more: IDataObject = {}) =>
				await trigger({ siteIds: ids.join(), ...more }).fetchTestEvent();

			await expect(fetch(siteIds)).rejects.toMatchObject({
				name: 'NodeApiError',
				message: '8 sites could not be read: 4041, 4042, 4043, 4044, 4045, 4046, 4047, 4048',
				description: expect.stringMatching(
					/^(The service does not know site 404\d \(".+", trace ID \S+\)\.\n){8}Check the site ID\. To continue /,
				) as unknown,
			});
			await expect(fetch([4041], { options })).rejects.toMatchObject({
				message: 'The service does not know site 4041',
				description: expect.not.stringMatching(/next poll|These are/) as unknown,
			});
		});
	});
});
