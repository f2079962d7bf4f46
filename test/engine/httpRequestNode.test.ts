import type { IDataObject } from 'n8n-workflow';
import { useFakeTime } from '../../testbed/engine/fakeTime';
import type { Fault } from '../../emulator/faults';
import { useHarness, type NodeSettings } from '../../testbed/engine/harness';

describe('the HTTP Request node with this credential', () => {
	const harness = useHarness();

	const run = async (parameters: IDataObject, settings: NodeSettings = {}) =>
		await harness.run(
			{ headers: {}, ...parameters },
			{ type: 'n8n-nodes-base.httpRequest', ...settings },
		);
	const feed = () => `${harness.emulator.baseUrl}/data/feed`;
	const logins = () => harness.emulator.journal.count('token');
	const routes = () => harness.emulator.journal.requests.map(({ route }) => route);

	it.each([404, 429, 401])('logs in once after two failures with status %d', async (status) => {
		harness.emulator.fail({ route: 'other', fault: { kind: 'status', status } });

		await run({ url: feed() }, { input: [{}, {}] });
		expect(logins()).toBe(1);
		await run({ url: feed() }, { input: [{}, {}] });

		expect(logins()).toBe(2);
		expect(harness.emulator.journal.count('other')).toBe(4);
	});

	it.each<[string, Fault, string]>([
		['400', { kind: 'status', status: 400 }, '400'],
		['403', { kind: 'status', status: 403 }, '403'],
		['500', { kind: 'status', status: 500 }, '500'],
		['an answer that breaks off', { kind: 'reset' }, 'ECONNRESET'],
	])('does not retry a failed POST, and shows its error: %s', async (_name, fault, shown) => {
		harness.emulator.fail({ route: 'other', fault });

		const { error } = await run({ url: feed(), options: { method: 'POST', body: { a: 1 } } });

		expect(error?.httpCode).toBe(shown);
		expect(routes()).toEqual(['token', 'other']);
	});

	it.each([false, true])('fails once after a revocation (newer: %p)', async (newerHelper) => {
		await run({ url: feed(), newerHelper });
		harness.emulator.tokens.revokeAll();

		const { error } = await run({ url: feed(), newerHelper });
		const { items } = await run({ url: feed(), newerHelper });

		expect(`${error?.message} ${error?.httpCode}`).toContain('401');
		expect(items.map(({ json }) => json)).toEqual([{ path: '/data/feed' }]);
		expect(harness.emulator.journal.count('other')).toBe(3);
		expect(logins()).toBe(2);
	});

	describe('as time passes', () => {
		const { settle, advance } = useFakeTime();

		it('sends waiting items with a new token after a revocation, within the request limit', async () => {
			harness.credential.requestsPerMinute = 100;
			harness.emulator.settings.requestsPerMinute = 100;
			const running = run({ url: feed() }, { input: Array(150).fill({}) });
			setTimeout(() => harness.emulator.tokens.revokeAll(), 61_000);
			await settle(running);

			const answers = harness.emulator.journal.of('other').map(({ status }) => status);
			expect(answers).toHaveLength(150);
			expect(answers.filter((status) => status === 401).length).toBeLessThan(20);
			expect(logins()).toBe(2);
			expect(harness.emulator.journal.countRateLimited()).toBe(0);
		});

		it('gets a new token although its requests use up the request limit', async () => {
			harness.credential.requestsPerMinute = 5;
			for (let request = 0; request < 20; request += 1) {
				if (request === 10) harness.emulator.tokens.revokeAll();
				await settle(run({ url: feed() }));
				await advance(12_000);
			}

			const answers = harness.emulator.journal.of('other').map(({ status }) => status);
			expect(answers.filter((status) => status === 401)).toHaveLength(1);
			expect(answers).toHaveLength(20);
		});
	});
});
