import type { IDataObject } from 'n8n-workflow';
import type { Fault } from '../../emulator/faults';
import { SITES } from '../../emulator/sites';
import { useFakeTime } from '../../testbed/engine/fakeTime';
import { useHarness, type NodeSettings } from '../../testbed/engine/harness';

const harness = useHarness();

describe('a failed request', () => {
	const { settle } = useFakeTime();

	const run = async (parameters: IDataObject = {}, settings: NodeSettings = {}) =>
		await settle(harness.run(parameters, settings));
	const SAID = '{"message":"Too few fish","traceId":"00-1"}';
	const status = (code: number, headers: Record<string, string> = {}): Fault => ({
		kind: 'status',
		status: code,
		headers,
		body: SAID,
	});
	it.each<[number, string, RegExp]>([
		[
			302,
			'The service pointed to another address for site 1001: https://elsewhere.example.com/x',
			/^If the service has moved, .+\nNothing was sent there/,
		],
		[
			400,
			'The service did not accept the request for site 1001',
			/^Check 'Data Request Version'.+no longer support this version/,
		],
		[
			401,
			'The service rejected the request for site 1001 (status 401)',
			/A new login did not help/,
		],
		[403, 'This account may not read site 1001', /right to read it/],
		[
			404,
			'The service does not know site 1001',
			/^Check the site ID\.\n.+'Known Sites', correct it.+turn on 'Ignore Missing Sites'/,
		],
		[503, 'The service could not answer the request for site 1001 (status 503)', /operator/],
	])('status %d shows "%s"', async (code, message, description) => {
		const location = 'https://elsewhere.example.com/x';
		harness.emulator.fail({ route: 'site', fault: status(code, code === 302 ? { location } : {}) });

		const { error, items } = await run();

		expect(items).toEqual([]);
		expect(error).toMatchObject({
			name: 'NodeApiError',
			message,
			httpCode: `${code}`,
			description: expect.stringMatching(description) as unknown,
			context: { itemIndex: 0, data: JSON.parse(SAID) as unknown },
		});
		expect(error?.description).toMatch(
			/\.\nThe service says: "Too few fish"\.\nTrace ID for the operator: 00-1\.$/,
		);
		// A 401 is retried once with another token, a 503 four times.
		expect(harness.emulator.journal.count('site')).toBe({ 401: 2, 503: 5 }[code] ?? 1);
	});

	it('shows that the answer is unusable', async () => {
		harness.failSites(204);

		const { error, items } = await run();

		expect(items).toEqual([]);
		expect(error).toMatchObject({
			name: 'NodeApiError',
			message: 'The answer for site 1001 is empty',
			httpCode: '204',
			description: expect.stringContaining('operator') as unknown,
			context: { itemIndex: 0, data: '' },
		});
	});

	describe('status 404', () => {
		it('with another body does not count as a missing site', async () => {
			harness.emulator.fail({ route: 'site', fault: { kind: 'status', status: 404, body: '[]' } });

			const { error, items } = await run({ options: { ignoreMissing: true } });

			expect(items).toEqual([]);
			expect(error).toMatchObject({
				message: 'The service answered the request for site 1001 with status 404',
				...{ httpCode: '404', context: { data: [] } },
				description: expect.stringContaining("'Base URL'") as unknown,
			});
			expect(harness.emulator.journal.count('site')).toBe(1);
		});

		it.each(['', '{}'])('with the body "%s" counts as a missing site', async (answer) => {
			const fault: Fault = { kind: 'status', status: 404, body: answer };
			harness.emulator.fail({ route: 'site', fault });

			const { error } = await run();
			const { error: none, hints } = await run({ options: { ignoreMissing: true } });

			expect(error?.message).toBe('The service does not know site 1001');
			expect(none).toBeUndefined();
			expect(hints).toHaveLength(1);
		});
	});

	it('shows that the connection is refused', async () => {
		harness.setCredential({ baseUrl: 'http://127.0.0.1:1' });

		expect((await run()).error?.message).toMatch(/not be reached \(ECONNREFUSED\)$/);
	});

	it('shows that the connection was lost', async () => {
		harness.emulator.fail({ route: 'site', fault: { kind: 'reset' } });

		expect((await run()).error).toMatchObject({
			name: 'NodeApiError',
			message: expect.stringMatching(
				/^The connection .+ was lost \(\w+\), so site 1001 /,
			) as unknown,
			...{ httpCode: null, context: { itemIndex: 0 } },
		});
	});

	it('without an answer names the site once, also on the error branch', async () => {
		harness.emulator.fail({ route: 'site', fault: { kind: 'hang' } });
		const options = { timeout: 1 };

		const { error } = await run({ options });
		const { errorItems } = await run({ options }, { onError: 'continueErrorOutput' });

		expect(error).toMatchObject({
			message: 'Site 1001 took longer than 1 second',
			description:
				"Try again, or raise 'Timeout (Seconds)' under Options.\nThe request was sent 5 times.",
		});
		expect(errorItems[0]?.json.message).toMatch(/^Site 1001 took longer/);
	});
});

// Fake time does not see that zlib is working.
it('a failed request shows at once that an answer is not compressed as it says', async () => {
	const headers = { 'content-encoding': 'gzip' };
	const fault = { kind: 'status', status: 200, headers, body: '{"siteId":1001}' } as const;
	harness.emulator.fail({ route: 'site', fault });

	const { error } = await harness.run();

	expect(error?.message).toBe('The answer for site 1001 is not JSON in UTF-8');
	expect(harness.emulator.journal.count('site')).toBe(1);
});

describe('a transient failure', () => {
	const KNOWN = SITES.map(({ siteId }) => siteId);
	const { settle } = useFakeTime();

	const read = async (options: IDataObject = {}, settings: NodeSettings = {}, siteIds = KNOWN) =>
		await settle(harness.getMany(siteIds, settings, { options }));
	const requests = () => harness.emulator.journal.of('site');
	const status = (code: number, retryAfter = 'soon', date?: string): Fault => ({
		kind: 'status',
		status: code,
		headers: { 'retry-after': retryAfter, ...(date !== undefined && { date }) },
	});

	it.each([
		[30, 2, '\nThe request was sent 2 times.'],
		[100, 1, ''],
	])('is retried for 45 seconds at most (timeout %i)', async (timeout, count, note) => {
		harness.emulator.fail({ route: 'site', fault: { kind: 'hang' } });

		const { error } = await read({ timeout }, {}, [1001]);

		expect(requests()).toHaveLength(count);
		expect(error).toMatchObject({
			message: `Site 1001 took longer than ${timeout} seconds`,
			description: `Try again, or raise 'Timeout (Seconds)' under Options.${note}`,
		});
	});

	it('with a status is shown, although other tries got no answer', async () => {
		harness.emulator.fail({ route: 'site', fault: { kind: 'reset' }, times: 1 });
		harness.emulator.fail({ route: 'site', fault: status(503, '7'), times: 1 });
		harness.emulator.fail({ route: 'site', fault: { kind: 'reset' } });

		const { error } = await read({}, {}, [1001]);

		expect(error).toMatchObject({
			message: 'The service could not answer the request for site 1001 (status 503)',
			httpCode: '503',
			description: expect.stringContaining('5 times') as unknown,
		});
		// It has waited for these seven seconds.
		expect(error?.description).not.toContain('asks n8n to wait');
	});

	it('is not retried if Retry-After exceeds the time for all tries', async () => {
		const inAnHour = ['Thu, 01 Jan 2026 01:00:00 GMT', 'Thu, 01 Jan 2026 00:00:00 GMT'] as const;
		harness.emulator.fail({ route: 'site', siteId: 1001, fault: status(503, ...inAnHour) });

		const { items, error } = await read({}, { onError: 'continueRegularOutput' });

		expect(error).toBeUndefined();
		expect(items.slice(1).map(({ json }) => json.siteId)).toEqual(KNOWN.slice(1));
		expect(requests()).toHaveLength(KNOWN.length);
		expect(items[0]?.json).toMatchObject({
			description: expect.stringMatching(
				/^Try again later\.\n.*The service asks n8n to wait for 60 minutes\./,
			) as unknown,
		});
	});
});
