import type { IDataObject, INode } from 'n8n-workflow';
import { ActiveTrigger } from '../../testbed/engine/activeTrigger';
import { jumpingTime } from '../../testbed/engine/jumpingTime';
import { NODE, Rig } from '../../testbed/engine/rig';
import { credentialsOf, NODE_TYPE, step } from '../../testbed/workflows';

const SECOND = 1000;
const PATH = '/list';
const ALL: IDataObject = { operation: 'getManySites', sites: 'all' };
const UNREAD = 'The list of sites could not be read';

describe("the service's own list of sites, which each caller reads with limits of its own", () => {
	const { until } = jumpingTime();
	let rig: Rig;

	beforeEach(async () => {
		rig = await Rig.start();
		rig.emulator.settings.siteList = { path: PATH };
		rig.setCredential({ siteListAddress: PATH });
	});
	afterEach(async () => await rig.stop());

	const lists = () => rig.emulator.journal.count('siteList');
	const hang = (times: number) =>
		rig.emulator.fail({ route: 'siteList', fault: { kind: 'hang' }, times });
	const fail = (status: number, times?: number) =>
		rig.emulator.fail({
			route: 'siteList',
			fault: { kind: 'status', status },
			...(times && { times }),
		});
	const patientRun = () => {
		let stop = () => {};
		const run = rig.run(
			{ ...ALL, options: { timeout: 3600, maxTime: 3600 } },
			{ onStart: (execution) => (stop = () => execution.cancel()) },
		);
		return { run, stop: () => stop() };
	};
	const openPanel = async () => {
		const node = {
			...step(NODE, NODE_TYPE, {}, { credentials: credentialsOf('account') }),
			position: [0, 0],
		} as INode;
		const list = rig.engine.nodeType.methods?.loadOptions?.listKnownSites;
		return await list?.call(rig.engine.loadOptionsContext(node));
	};
	const trigger = (parameters: IDataObject = {}) =>
		new ActiveTrigger(rig, { sites: 'all', changes: ['siteRenamed'], ...parameters });
	const seconds = async (work: Promise<unknown>) => {
		const beganAt = Date.now();
		await until(work);
		return (Date.now() - beganAt) / SECOND;
	};

	it('does not keep others waiting while a patient run waits for it', async () => {
		hang(4);
		const patient = patientRun();
		const panel = expect(openPanel()).rejects.toMatchObject({
			message: 'The list of sites took longer than 15 seconds',
		});
		expect(await seconds(panel)).toBeLessThan(32);
		const activation = trigger().activate();
		expect(await seconds(activation)).toBeLessThan(28);
		expect((await activation).errors).toMatchObject([{ message: UNREAD }]);

		const items = until(rig.run(ALL));
		expect((await items).items).toHaveLength(rig.emulator.sites.size);
		patient.stop();
		await until(patient.run);
	});

	it('is hardly asked for again by runs that wait for their places until another one has read it', async () => {
		rig.emulator.settings.latencyMs = 2.5 * SECOND;
		rig.setCredential({ ...rig.credential, requestsPerMinute: 60 });
		const outputs = await until(
			Promise.all(Array.from({ length: 20 }, async () => await rig.run(ALL))),
		);

		expect(outputs.every(({ error }) => error === undefined)).toBe(true);
		expect(lists()).toBeLessThanOrEqual(5);
	});

	it('that fails for the panel after its two tries does not fail for a run', async () => {
		fail(503, 3);
		const panel = expect(openPanel()).rejects.toMatchObject({
			message: 'The service could not answer the request for the list of sites (status 503)',
		});
		const [{ error }] = await until(Promise.all([rig.run(ALL), panel]));

		expect(error).toBeUndefined();
	});

	it('that fails costs a poll one request, and the poll goes on with the sites that it knows', async () => {
		const active = trigger();
		await until(active.activate());
		jest.advanceTimersByTime(11 * 60 * SECOND);
		fail(503);
		rig.emulator.changeSite(1002, (site) => ({ ...site, siteName: 'Omdøpt' }));
		const before = lists();

		const { items, errors } = await until(active.poll());
		expect(items).toMatchObject([{ siteId: 1002, newValue: 'Omdøpt' }]);
		expect(errors).toMatchObject([{ message: UNREAD }]);
		expect(lists() - before).toBe(1);
	});

	it('that hangs leaves an activation time for the sites that it knows', async () => {
		const { stored } = await activated();
		hang(1);
		rig.setCredential({ ...rig.credential, siteListAddress: '/list?other=1' });
		rig.emulator.changeSite(1002, (site) => ({ ...site, siteName: 'Omdøpt' }));
		const again = new ActiveTrigger(
			rig,
			{ sites: 'all', changes: ['siteRenamed'], options: { timeout: 200 } },
			{ stored },
		);

		const { items, errors } = await until(again.activate());
		expect(items).toMatchObject([{ siteId: 1002, newValue: 'Omdøpt' }]);
		expect(errors.map(({ message }) => message)).toEqual([UNREAD]);
	});

	const activated = async () => {
		const active = trigger();
		await until(active.activate());
		return active;
	};

	it.each([
		['goes on with the sites that it knows, and reports nothing', true, []],
		[
			'that knows no site says when the account may send again',
			false,
			[/^The account has reached its limit and may send again in /],
		],
	])('a poll without a place for it %s', async (_what, knows, messages) => {
		const active = knows ? await activated() : trigger();
		rig.setCredential({
			...rig.credential,
			siteListAddress: '/list?other=1',
			requestsPerMinute: 1,
		});
		await until(rig.run({ siteId: '1001' }));

		const { errors } = await until(active.poll());
		expect(errors.map(({ message }) => message)).toEqual(
			messages.map((message) => expect.stringMatching(message) as unknown),
		);
	});
});
