import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';
import {
	changesOf,
	messagesOf,
	NOTHING,
	relicensed,
	STORED,
	useTrigger,
} from '../../testbed/engine/useTrigger';

describe('the memory of the trigger', () => {
	const { harness, change, relicense, trigger, activated, pollTimes, expectToBeWatching } =
		useTrigger();

	const CHANGED = [relicensed(1001, 'M-H-0101', 'NEW')];
	type Edit = (credential: ICredentialDataDecryptedObject) => IDataObject;
	it.each<[string, Edit, unknown[] | undefined]>([
		['version', () => ({ dataVersion: '2024-06-01' }), undefined],
		[
			'address',
			({ baseUrl }) => ({ baseUrl: String(baseUrl).replace('127.0.0.1', 'localhost') }),
			undefined,
		],
		['account', () => ({ username: 'other@example.com' }), undefined],
		['case', ({ username }) => ({ username: String(username).toUpperCase() }), CHANGED],
		['password', () => ({ password: 'second' }), CHANGED],
	])(
		'survives an edit of the %s only if the sites stay the same',
		async (_name, edit, expected) => {
			const active = await activated();
			relicense(1001, 'NEW');
			const edited = { ...harness.credential, ...edit(harness.credential) };
			harness.setCredential(edited as ICredentialDataDecryptedObject);
			const username = String(edited.username);
			harness.emulator.settings.accounts = { [username]: String(edited.password) };

			expect(changesOf(await active.activate())).toEqual(expected);
			expect(JSON.stringify(active.stored)).not.toContain(username);
			relicense(1001, 'NEWER');
			expect(changesOf(await active.poll())).toEqual([relicensed(1001, 'NEW', 'NEWER')]);
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

	it('has the sites that were left out for a while', async () => {
		const active = await activated({ siteIds: '1001 1002' });
		await active.activate({ siteIds: '1001' });
		relicense(1002, 'NEW');
		await expect(active.poll()).resolves.toEqual(NOTHING);

		const outcome = await active.activate({ siteIds: '1001 1002' });

		expect(changesOf(outcome)).toEqual([relicensed(1002, 'T-N-0102', 'NEW')]);
	});

	it('lets a change be reported whose poll n8n discarded, because the workflow was unpublished', async () => {
		const active = await activated();
		const { stored } = active;
		relicense(1001, 'NEW');
		await active.poll();
		active.stored = stored;

		const published = await active.activate();

		expect(changesOf(published)).toEqual([relicensed(1001, 'M-H-0101', 'NEW')]);
	});

	describe("with n8n 2's scheduler", () => {
		const watching = async (settings: Parameters<typeof trigger>[1] = {}) =>
			await activated({ siteIds: '1001 1002' }, { budgetMs: 36_000, ...settings });

		it('is stored by the poll after an activation with durable cursors', async () => {
			harness.failSites(403, { siteId: 1002, times: 1 });
			const settings = { budgetMs: 36_000, durableCursors: true };
			const active = trigger({ siteIds: '1001 1002' }, settings);

			await expect(active.activate()).resolves.toMatchObject({ items: undefined });
			await expect(active.poll()).resolves.toEqual(STORED);
			relicense(1001, 'NEW');

			expect(changesOf(await active.activate())).toEqual([relicensed(1001, 'M-H-0101', 'NEW')]);
		});

		it('is stored again after the execution of another trigger of the workflow has stored an older one', async () => {
			const settings = { budgetMs: 36_000 };
			harness.failSites(403, { siteId: 1001, times: 1 });
			const active = await activated({}, settings);
			const { stored: older } = active;
			await expect(active.poll()).resolves.toEqual(STORED);
			active.stored = older;
			await expect(active.poll()).resolves.toEqual(STORED);
			relicense(1001, 'NEW');

			const restarted = trigger({}, { ...settings, stored: active.stored });
			const outcome = await restarted.activate();
			expect(changesOf(outcome)).toEqual([relicensed(1001, 'M-H-0101', 'NEW')]);
		});

		it('has the failures that were reported', async () => {
			const active = await watching();
			await expect(active.poll()).resolves.toEqual(NOTHING);
			harness.failSites(403, { siteId: 1002 });

			const polls = await pollTimes(active, 2);

			expect(messagesOf(polls)).toEqual([['This account may not read site 1002'], []]);
			expect(polls.map(({ items }) => items)).toEqual([undefined, undefined]);
		});
	});
});
