import type { IDataObject } from 'n8n-workflow';
import { ActiveTrigger } from '../../testbed/engine/activeTrigger';
import { jumpingTime } from '../../testbed/engine/jumpingTime';
import { rigPerTest, type Rig } from '../../testbed/engine/rig';

const MINUTE = 60_000;
const PATH = '/list';
/** Another address is a list that nobody has read. */
const OTHER_PATH = '/list?other=1';
const PARAMETERS: IDataObject = { sites: 'all', changes: ['siteRenamed'] };
const UNREAD = 'The list of sites could not be read';
const NOTHING = { items: undefined, errors: [] };

describe("a trigger that watches the sites of the service's list", () => {
	const { until } = jumpingTime();
	let rig: Rig;

	rigPerTest((started) => {
		rig = started;
		rig.emulator.settings.siteList = { path: PATH };
	});
	beforeEach(() => {
		rig.setCredential({ siteListAddress: PATH });
		const [, , , ...others] = rig.emulator.sites.keys();
		for (const siteId of others) rig.emulator.changeSite(siteId, () => undefined);
	});

	const lists = () => rig.emulator.journal.count('siteList');
	const rename = (siteId: number, siteName: string) => {
		rig.emulator.changeSite(siteId, (site) => ({ ...site, siteName }));
	};
	const renamed = (siteId: number, newValue: string) => [{ siteId, newValue }];
	const answerOnce = (body: unknown) => {
		const headers = { 'content-type': 'application/json' };
		const fault = { kind: 'status', status: 200, body: JSON.stringify(body), headers } as const;
		rig.emulator.fail({ route: 'siteList', fault, times: 1 });
	};
	const failWith = (status: number, times = Infinity) =>
		rig.emulator.fail({ route: 'siteList', fault: { kind: 'status', status }, times });
	const readListFrom = (siteListAddress: string, more: { requestsPerMinute?: number } = {}) =>
		rig.setCredential({ ...rig.credential, siteListAddress, ...more });
	/** Longer than a list is used. */
	const passElevenMinutes = () => jest.advanceTimersByTime(11 * MINUTE);

	const trigger = (parameters: IDataObject = {}, settings: { stored?: IDataObject } = {}) =>
		new ActiveTrigger(rig, { ...PARAMETERS, ...parameters }, settings);
	const activated = async (parameters: IDataObject = {}) => {
		const active = trigger(parameters);
		expect(await until(active.activate())).toMatchObject({ errors: [] });
		return active;
	};
	const poll = async (active: ActiveTrigger) => await until(active.poll());

	it("a new site in the service's list is no change, and is watched from then on", async () => {
		const active = await activated();
		rig.emulator.changeSite(2001, () => ({ siteId: 2001, siteName: 'Ny' }));
		expect(await poll(active)).toEqual(NOTHING);

		passElevenMinutes();
		expect(await poll(active)).toEqual({ items: [], errors: [] });
		rename(2001, 'Nyere');
		expect((await poll(active)).items).toMatchObject(renamed(2001, 'Nyere'));
	});

	it("the values of a new site in the service's list are returned with 'Start with Current Values'", async () => {
		const active = await activated({ emitCurrentState: true });
		rig.emulator.changeSite(2001, () => ({ siteId: 2001, siteName: 'Ny' }));
		passElevenMinutes();

		expect((await poll(active)).items).toMatchObject(renamed(2001, 'Ny'));
	});

	it("a site that the service's list lacks is remembered", async () => {
		const active = await activated();
		answerOnce({ sites: [{ siteId: 1001 }, { siteId: 1003 }] });
		rename(1002, 'Omdøpt');
		passElevenMinutes();
		expect(await poll(active)).toEqual(NOTHING);
		passElevenMinutes();
		expect((await poll(active)).items).toMatchObject(renamed(1002, 'Omdøpt'));
	});

	it('no site is forgotten because a list of sites is not whole', async () => {
		const active = await activated();
		passElevenMinutes();
		answerOnce({ sites: [{ siteId: 1001 }], next: '/list?page=2' });
		await poll(active);
		rename(1001, 'Nytt');
		await poll(active);

		expect(JSON.stringify(active.stored)).toContain('Kråkøya');
	});

	it.each([422, 503])(
		'a list of sites that fails with status %d costs a poll one request and is reported once, and the poll goes on with the sites that it knows',
		async (status) => {
			const active = await activated();
			passElevenMinutes();
			failWith(status);
			rename(1002, 'Omdøpt');
			const before = lists();

			const { items, errors } = await poll(active);

			expect(items).toMatchObject(renamed(1002, 'Omdøpt'));
			expect(errors).toMatchObject([{ message: UNREAD, httpCode: String(status) }]);
			expect(lists() - before).toBe(1);
			expect(await poll(active)).toEqual(NOTHING);
			expect(JSON.stringify(active.stored)).toContain('Storvågen');
		},
	);

	it('a list of sites that hangs after a restart leaves an activation time for the sites that are remembered', async () => {
		const { stored } = await activated();
		rig.emulator.fail({ route: 'siteList', fault: { kind: 'hang' }, times: 1 });
		readListFrom(OTHER_PATH);
		rename(1002, 'Omdøpt');
		const again = trigger({ options: { timeout: 200 } }, { stored });

		const { items, errors } = await until(again.activate());

		expect(items).toMatchObject(renamed(1002, 'Omdøpt'));
		expect(errors).toMatchObject([{ message: UNREAD }]);
	});

	it('a list of sites that could never be read is reported, and the workflow is activated', async () => {
		failWith(422, 1);
		const active = trigger();
		expect(await until(active.activate())).toMatchObject({ errors: [{ message: UNREAD }] });

		expect(await poll(active)).toMatchObject({ errors: [] });
		rename(1001, 'Nytt');
		expect((await poll(active)).items).toMatchObject(renamed(1001, 'Nytt'));
	});

	it('a list of sites that is down after a restart leaves the sites that are named by their IDs, and what is not watched is told', async () => {
		failWith(503);
		const active = trigger({ sites: 'byId', siteIds: 'Storvågen, 1002' });

		expect(await until(active.activate())).toMatchObject({
			errors: [
				{
					message: UNREAD,
					description: expect.stringMatching(
						/Not watched meanwhile: "Storvågen"\. The other sites are still watched\./,
					) as unknown,
				},
			],
		});
		rename(1002, 'Omdøpt');
		expect((await poll(active)).items).toMatchObject(renamed(1002, 'Omdøpt'));
	});

	it('a list of sites that is down after a restart leaves the sites that are remembered by their names', async () => {
		const named = { sites: 'byId', siteIds: 'Storvågen, 1002' };
		const { stored } = await activated(named);
		readListFrom(OTHER_PATH);
		failWith(503);
		rename(1001, 'Omdøpt');
		const again = trigger(named, { stored });

		expect((await until(again.activate())).items).toMatchObject(renamed(1001, 'Omdøpt'));
	});

	it("a list of sites with a next page or unusable IDs is told at the activation and in n8n's log, once", async () => {
		answerOnce({ sites: [{ siteId: 1001 }, { siteId: '01002' }], next: '/list?page=2' });
		const active = trigger();
		const notices = [
			expect.stringMatching(/^1 entry of the service's list .* left out: 01002$/) as unknown,
			expect.stringMatching(/^The service seems to have more sites than its list/) as unknown,
		];

		const { errors } = await until(active.activate());
		const later = await poll(active);

		expect(errors.map(({ message }) => message)).toEqual(notices);
		expect(rig.engine.logged('warn')).toEqual([
			expect.stringMatching(/^Aquaculture Trigger: 1 entry of the service's list/),
			expect.stringMatching(/^Aquaculture Trigger: The service seems to have more sites/),
		]);
		expect(later).toEqual(NOTHING);
	});

	it('a poll without a place for the list of sites goes on with those that it knows, and reports nothing', async () => {
		const active = await activated();
		readListFrom(OTHER_PATH, { requestsPerMinute: 1 });
		await until(rig.run({ siteId: '1001' }));

		expect((await poll(active)).errors).toEqual([]);
	});

	it('a poll without a place for the list of sites that knows no site says when the account may send again', async () => {
		const active = trigger();
		readListFrom(OTHER_PATH, { requestsPerMinute: 1 });
		await until(rig.run({ siteId: '1001' }));

		const { errors } = await poll(active);

		expect(errors.map(({ message }) => message)).toEqual([
			expect.stringMatching(/^The account has reached its limit and may send again in /),
		]);
	});
});
