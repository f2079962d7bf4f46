import type { IDataObject } from 'n8n-workflow';
import type { Fault } from '../../emulator/faults';
import { SITES } from '../../emulator/sites';
import { shareRig, type NodeSettings, type Rig } from '../../testbed/engine/rig';

const KNOWN = SITES.map(({ siteId }) => siteId);

describe('a failure that passes', () => {
	let rig: Rig;

	shareRig((started) => {
		rig = started;
	});

	const read = async (options: IDataObject = {}, settings: NodeSettings = {}, siteIds = KNOWN) =>
		await rig.run({ operation: 'getManySites', siteIds: siteIds.join(), options }, settings);
	const requests = () => rig.emulator.journal.of('site');
	const status = (code: number, headers: Record<string, string> = {}): Fault => ({
		kind: 'status',
		status: code,
		headers,
	});

	it.each<Fault>([
		...[408, 500, 502, 503, 504].map((code) => status(code)),
		{ kind: 'reset' },
		{ kind: 'truncated' },
	])('is tried again, and the output panel says so: %j', async (fault) => {
		rig.emulator.fail({ route: 'site', fault, times: 1 });

		const { items, error, hints } = await read();

		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json.siteId)).toEqual(KNOWN);
		expect(requests()).toHaveLength(KNOWN.length + 1);
		expect(hints[0]?.message).toBe('1 request failed for a moment and was sent again');
	});

	it('is tried again after a try that took too long', async () => {
		rig.emulator.fail({ route: 'site', fault: { kind: 'hang' }, times: 1 });

		const { items } = await read({ timeout: 0.3 }, {}, [1001]);

		expect(items).toHaveLength(1);
		expect(requests()).toHaveLength(2);
	});

	it.each([400, 401, 403, 404, 409, 418, 501])('does not include status %d', async (code) => {
		rig.emulator.fail({ route: 'site', fault: status(code) });

		const { error } = await read({}, {}, [1001]);

		expect(error).toBeDefined();
		// A token that was never accepted is exchanged once more.
		expect(requests()).toHaveLength(code === 401 || code === 403 ? 2 : 1);
	});

	it('ends after Maximum Tries, and says how many there were', async () => {
		rig.emulator.fail({ route: 'site', fault: status(503, { 'retry-after': '0' }) });

		const { error } = await read({ maxTries: 3 }, {}, [1001]);

		expect(requests()).toHaveLength(3);
		expect(error).toMatchObject({
			httpCode: '503',
			description: expect.stringContaining('The request was sent 3 times.') as unknown,
		});
	});

	it('ends with Maximum Time per Site', async () => {
		rig.emulator.fail({ route: 'site', fault: status(503) });

		const { error } = await read({ maxTries: 20, maxTime: 2, timeout: 1 }, {}, [1001]);

		expect(error?.httpCode).toBe('503');
		expect(requests().length).toBeGreaterThan(1);
		expect(requests().length).toBeLessThan(10);
	});

	it('ends with Maximum Time per Site in the middle of a try, and names it', async () => {
		rig.emulator.fail({ route: 'site', fault: { kind: 'hang' } });

		const { error } = await read({ maxTime: 3.9, timeout: 2 }, {}, [1001]);

		expect(requests()).toHaveLength(2);
		expect(error).toMatchObject({
			message: 'Site 1001 took longer than 3.9 seconds',
			description:
				"Run the workflow again, or raise 'Maximum Time per Site' under Options. The request was sent 2 times.",
		});
	});

	it('does not begin a try for which less than a second is left', async () => {
		rig.emulator.fail({ route: 'site', fault: { kind: 'hang' } });

		const { error } = await read({ maxTime: 2.3, timeout: 1.5 }, {}, [1001]);

		expect(requests()).toHaveLength(1);
		expect(error).toMatchObject({
			message: 'Site 1001 took longer than 1.5 seconds',
			description: "Run the workflow again, or raise 'Timeout' under Options.",
		});
	});

	it('tells what the service answered, not that the last try was cut short', async () => {
		rig.emulator.fail({ route: 'site', fault: status(503), times: 1 });
		rig.emulator.fail({ route: 'site', fault: { kind: 'hang' } });

		const { error } = await read({ maxTime: 2, timeout: 1.9 }, {}, [1001]);

		expect(requests()).toHaveLength(2);
		expect(error?.httpCode).toBe('503');
	});

	it('makes no other site wait for what Retry-After asks of one', async () => {
		const headers = { 'retry-after': '2' };
		rig.emulator.fail({ route: 'site', siteId: 1001, fault: status(503, headers), times: 1 });

		const { error, items } = await read({ concurrentRequests: 5 });

		const [again, ...others] = requests().reverse();
		const began = others.at(-1)?.at ?? 0;
		expect(error).toBeUndefined();
		expect(items).toHaveLength(KNOWN.length);
		expect(again?.url).toContain('/1001');
		expect((again?.at ?? 0) - began).toBeGreaterThan(1900);
		expect((others[0]?.at ?? 0) - began).toBeLessThan(1900);
	});

	it('fails at once where Retry-After is longer than Maximum Time per Site, for that site alone', async () => {
		const headers = { 'retry-after': '3600' };
		rig.emulator.fail({ route: 'site', siteId: 1001, fault: status(503, headers) });

		const { items, error } = await read({}, { onError: 'continueRegularOutput' });

		expect(error).toBeUndefined();
		expect(items.slice(1).map(({ json }) => json.siteId)).toEqual(KNOWN.slice(1));
		expect(requests()).toHaveLength(KNOWN.length);
		expect(items[0]?.json).toMatchObject({
			description: expect.stringContaining(
				"which is longer than 'Maximum Time per Site' allows.",
			) as unknown,
		});
	});

	it('is no cause to go on waiting when the execution is cancelled', async () => {
		rig.emulator.fail({ route: 'site', fault: status(503, { 'retry-after': '30' }) });
		const warnings: Error[] = [];
		const listen = (warning: Error) => warnings.push(warning);
		process.on('warning', listen);

		const { status: outcome } = await read(
			{ concurrentRequests: 50 },
			{ onStart: (execution) => setTimeout(() => execution.cancel(), 500) },
			Array.from({ length: 200 }, (_, index) => 5000 + index),
		);

		process.off('warning', listen);
		expect(outcome).toBe('canceled');
		expect(requests().length).toBeLessThanOrEqual(50);
		expect(warnings).toEqual([]);
	});

	it('is found in every random mixture of failures, and order and links stay', async () => {
		rig.emulator.settings.latencyMs = 3;
		rig.emulator.settings.latencyJitter = 1;
		rig.emulator.fail({ route: 'site', fault: status(503), share: 0.05 });
		rig.emulator.fail({ route: 'site', fault: { kind: 'reset' }, share: 0.05 });
		rig.emulator.fail({ route: 'site', siteId: 1007, fault: status(403) });
		const input = Array.from({ length: 300 }, (_, index) => ({
			id: KNOWN[(index * 7) % KNOWN.length],
			part: `part${index % 5}`,
		}));

		const { items } = await rig.run(
			{
				siteId: '={{ $json.id }}',
				options: { additionalIncludes: '={{ $json.part }}', maxTries: 10 },
			},
			{ input, onError: 'continueRegularOutput' },
		);

		Object.assign(rig.emulator.settings, { latencyMs: 0, latencyJitter: 0 });
		expect(items.map(({ json, pairedItem }) => [json.error ?? json.siteId, pairedItem])).toEqual(
			input.map(({ id }, item) => [
				id === 1007 ? 'This account may not read site 1007' : id,
				{ item },
			]),
		);
		expect(rig.emulator.journal.peakConcurrency).toBeLessThanOrEqual(20);
	});
});
