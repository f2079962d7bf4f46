import { makeSites } from '../../emulator/sites';
import { ActiveTrigger } from '../../testbed/engine/activeTrigger';
import { useFakeTime } from '../../testbed/engine/fakeTime';
import { useHarness, type NodeSettings, type Output } from '../../testbed/engine/harness';

/* Faults that come together, each of which has lost sites or logins before. */

const SITES = makeSites(2);
const UNAVAILABLE = { kind: 'status', status: 503 } as const;

const { settle, advance } = useFakeTime();
const harness = useHarness({ sites: SITES });

const fetchSites = async (siteIds: readonly number[], settings: NodeSettings = {}) =>
	await settle(harness.getMany(siteIds, { onError: 'continueRegularOutput', ...settings }));
const sendHttpRequest = async () =>
	await settle(
		harness.run(
			{ headers: {}, url: `${harness.emulator.baseUrl}/x` },
			{ type: 'n8n-nodes-base.httpRequest', onError: 'continueRegularOutput' },
		),
	);
const countRead = ({ items }: Output) =>
	items.filter(({ json }) => json.error === undefined).length;

it('a service whose logins fail for three minutes after a revocation is read as soon as they succeed', async () => {
	const trigger = new ActiveTrigger(harness, { siteIds: '5001' });
	await settle(trigger.activate());
	harness.emulator.tokens.revokeAll();
	harness.emulator.fail({ route: 'token', fault: UNAVAILABLE });
	for (let poll = 0; poll < 3; poll++) {
		await advance(60_000);
		await settle(trigger.poll());
	}
	harness.emulator.reset();

	await advance(60_000);
	await settle(trigger.poll());

	expect(harness.emulator.journal.of('site').at(-1)?.status).toBe(200);
});

it('an execution that is cancelled during its login after a revocation delays no other login', async () => {
	await fetchSites([5001]);
	harness.emulator.tokens.revokeAll();
	harness.emulator.fail({ route: 'token', fault: UNAVAILABLE, times: 1 });
	await fetchSites([5001], { onStart: (run) => void setTimeout(() => run.cancel(), 1000) });

	expect(countRead(await fetchSites([5002]))).toBe(1);
});

it('no trigger waits for a login that hangs after a failed HTTP Request node', async () => {
	await fetchSites([5001]);
	harness.emulator.fail({ route: 'other', fault: { kind: 'status', status: 404 } });
	harness.emulator.fail({ route: 'token', fault: { kind: 'hang' } });
	await sendHttpRequest();
	const trigger = new ActiveTrigger(harness, { siteIds: '5001' });

	const { errors } = await settle(trigger.activate());
	expect([errors, harness.emulator.journal.count('site')]).toEqual([[], 2]);
});
