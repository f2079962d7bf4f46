import type { Fault } from '../../emulator/faults';
import { makeSites } from '../../emulator/sites';
import { ActiveTrigger } from '../../testbed/engine/activeTrigger';
import { useFakeTime } from '../../testbed/engine/fakeTime';
import {
	expectRead,
	statusFault,
	useHarness,
	type NodeSettings,
} from '../../testbed/engine/harness';

/* How many sites are read, in how many minutes and with how many requests, while the service is down for all sites or some. */

const SITES = makeSites(200);
const harness = useHarness({ sites: SITES });
const { settle, advance } = useFakeTime();

const fetchSites = async (siteIds: readonly number[], settings: NodeSettings = {}) =>
	await settle(harness.getMany(siteIds, { onError: 'continueRegularOutput', ...settings }));

const HANGS: Fault = { kind: 'hang' };
const status = (code: number, seconds = 0): Fault => ({
	kind: 'status',
	status: code,
	afterMs: 1000 * seconds,
});
const asksFor = (seconds: number) => statusFault(503, seconds);

type IsFaulty = (index: number) => boolean;
/** What the service does from a second on; without a fault, it answers again. */
type Step = [from: number, fault?: Fault, isFaulty?: IsFaulty];

const downFor = (seconds: number, fault: Fault): Step[] => [[0, fault], [seconds]];
const forSome = (fault: Fault, isFaulty: IsFaulty): Step[] => [[0, fault, isFaulty]];
const THEN_HANGS: Step[] = [0, 90].map((from) => [from, from === 0 ? status(502) : HANGS]);
const TURNS = [0, 1, 2, 3, 4, 5, 6].flatMap((minute): Step[] => [
	[60 * minute, status(502)],
	[60 * minute + 30, HANGS],
]);
const HOUR_THEN_HANGS: Step[] = [
	[0, asksFor(3600), (index) => index < 3],
	[60, HANGS, (index) => index > 189],
];
const isScattered = (percent: number) => (index: number) => (index * 37) % 100 < percent;
const isInTwoAreasOrLast = (index: number) =>
	index < 30 || (index >= 100 && index < 130) || index === 196 || index > 197;
const isInThreeAreas = (index: number) =>
	index < 25 || (index >= 100 && index < 126) || index > 191;

it.each<[string, sites: number, perMinute: number, Step[], number, number, number]>([
	// what                               sites  rate    steps               read, minutes and requests at most
	['always 503', 100, 100, [[0, status(503)]], 0, 6, 150],
	['no answer', 100, 10_000, [[0, HANGS]], 0, 6, 60],
	['504 after 29 s', 100, 10_000, [[0, status(504, 29)]], 0, 6, 60],
	['502 for 90 s, then no answer', 100, 100, THEN_HANGS, 0, 6, 150],
	['502 and no answer by turns', 100, 10_000, TURNS, 0, 6, 150],
	['503 for 45 s, fast', 200, 2000, downFor(45, status(503)), 180, 2, 300],
	['503 for 90 s, fast', 200, 2000, downFor(90, status(503)), 175, 3, 310],
	['503 for 200 s', 200, 100, downFor(200, status(503)), 173, 6, 320],
	['503 that asks for 60 s, for 50 s', 200, 100, downFor(50, asksFor(60)), 200, 4, 220],
	['503 that asks for 60 s, fast', 200, 10_000, downFor(50, asksFor(60)), 200, 2.1, 220],
	['503 that asks for 20 s, for 50 s', 200, 100, downFor(50, asksFor(20)), 200, 4, 260],
	['503 that asks for 60 s, for 290 s', 200, 100, downFor(290, asksFor(60)), 173, 7, 230],
	['503 that asks for 2 minutes, for 3 s', 60, 100, downFor(3, asksFor(120)), 60, 1.1, 80],
	['503 that asks for 10 minutes', 60, 100, downFor(500, asksFor(600)), 0, 6.1, 60],
	['503 that always asks for a second', 100, 10_000, [[0, asksFor(1)]], 0, 6, 150],
	['503 that always asks for a minute', 100, 10_000, [[0, asksFor(60)]], 0, 6.1, 60],
	['503 that asks for 60 s, five sites', 5, 100, downFor(30, asksFor(60)), 5, 1.1, 10],
	['five sites that ask for an hour', 200, 100, forSome(asksFor(3600), (i) => i < 5), 195, 3, 205],
	['50 first that ask for an hour', 200, 100, forSome(asksFor(3600), (i) => i < 50), 150, 4.2, 250],
	['50 last that ask for an hour', 200, 100, forSome(asksFor(3600), (i) => i > 149), 150, 8, 210],
	['five last that ask for a minute', 60, 100, forSome(asksFor(60), (i) => i > 54), 55, 1.1, 65],
	['three ask for an hour, ten last hang', 200, 100, HOUR_THEN_HANGS, 190, 3, 240],
	['25 first, 4 last hang', 200, 100, forSome(HANGS, (i) => i < 25 || i > 195), 171, 5, 230],
	['25 first, 8 last hang', 200, 100, forSome(HANGS, (i) => i < 25 || i > 191), 167, 5, 240],
	['two areas, 3 last hang', 200, 2000, forSome(HANGS, isInTwoAreasOrLast), 137, 6, 270],
	['25 first, 26 middle, 8 last hang', 200, 100, forSome(HANGS, isInThreeAreas), 141, 7, 260],
	['40 of 100 always 503', 100, 10_000, forSome(status(503), isScattered(40)), 60, 2, 260],
	['70 of 100 always 503', 100, 10_000, forSome(status(503), isScattered(70)), 30, 4, 380],
])(
	'%s: of %i sites at %i a minute',
	async (_what, count, requestsPerMinute, steps, read, minutes, requests) => {
		const { emulator } = harness;
		const ids = SITES.slice(0, count).map(({ siteId }) => siteId);
		harness.credential.requestsPerMinute = requestsPerMinute;
		let sent = 0;
		const begin = ([, fault, isFaulty]: Step) => {
			sent += emulator.journal.count('site');
			emulator.reset();
			if (fault && !isFaulty) emulator.fail({ route: 'site', fault });
			for (const siteId of fault && isFaulty ? ids.filter((_, index) => isFaulty(index)) : []) {
				emulator.fail({ route: 'site', siteId, fault: fault as Fault });
			}
		};
		for (const step of steps) setTimeout(() => begin(step), 1000 * step[0]);
		await advance(1);
		const from = performance.now();

		const output = await fetchSites(ids);

		expect(output.items.map(({ json }) => json.siteId)).toEqual(ids);
		expectRead(output, read);
		expect((performance.now() - from) / 60_000).toBeLessThanOrEqual(minutes);
		expect(sent + emulator.journal.count('site')).toBeLessThanOrEqual(requests);
	},
);

it('a poll waits no longer than it lasts', async () => {
	harness.emulator.fail({ route: 'site', fault: asksFor(40) });
	const { errors } = await settle(new ActiveTrigger(harness, { siteIds: '5001' }).activate());

	expect(errors).toMatchObject([{ message: expect.stringContaining('503') as unknown }]);
	expect(performance.now()).toBeLessThan(1000);
});

it('a long timeout leaves time for the sites that do not hang', async () => {
	const ids = SITES.slice(0, 60).map(({ siteId }) => siteId);
	for (const siteId of [...ids.slice(0, 25), ...ids.slice(-4)]) {
		harness.emulator.fail({ route: 'site', siteId, fault: HANGS });
	}

	const settings = { onError: 'continueRegularOutput' } as const;
	const reading = harness.getMany(ids, settings, { options: { timeout: 300 } });

	expectRead(await settle(reading), 31);
});

it('an execution says that the service was down, not that the request limit was in the way', async () => {
	harness.credential.requestsPerMinute = 100;
	harness.emulator.fail({ route: 'site', fault: HANGS, times: 60 });
	const ids = SITES.slice(0, 120).map(({ siteId }) => siteId);

	const { hints } = await fetchSites(ids);

	expect(hints.map(({ message }) => message)).toContainEqual(
		expect.stringMatching(
			/^120 sites took \d+ minutes mostly because the service was slow to answer,/,
		),
	);
});

/* Faults that come together, each of which has lost sites or logins before. */
const sendHttpRequest = async () =>
	await settle(
		harness.run(
			{ headers: {}, url: `${harness.emulator.baseUrl}/x` },
			{ type: 'n8n-nodes-base.httpRequest', onError: 'continueRegularOutput' },
		),
	);

it('a service whose logins fail for three minutes after a revocation is read as soon as they succeed', async () => {
	const trigger = new ActiveTrigger(harness, { siteIds: '5001' });
	await settle(trigger.activate());
	harness.emulator.tokens.revokeAll();
	harness.emulator.fail({ route: 'token', fault: status(503) });
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
	harness.emulator.fail({ route: 'token', fault: status(503), times: 1 });
	await fetchSites([5001], { onStart: (run) => void setTimeout(() => run.cancel(), 1000) });

	expectRead(await fetchSites([5002]), 1);
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
