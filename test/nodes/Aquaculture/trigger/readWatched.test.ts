import { TokenFailure } from '../../../../credentials/token/tokenFailure';
import { Emulator } from '../../../../emulator/server';
import type { Settings } from '../../../../nodes/Aquaculture/trigger/fields';
import { readWatched } from '../../../../nodes/Aquaculture/trigger/readWatched';
import { transportTo } from '../transport/transportTo';

const SETTINGS: Settings = {
	siteIds: [1, 2, 3],
	watch: { kinds: ['siteRenamed'], infoFields: null, additionalIncludes: [] },
	emitsCurrentState: false,
	dataVersion: undefined,
	reading: {
		concurrentRequests: 1,
		timeoutMs: 2000,
		maxTries: 1,
		maxTimeMs: 2000,
		maxWaitMs: Infinity,
		ignoreMissing: false,
	},
};
const IGNORING: Settings = { ...SETTINGS, reading: { ...SETTINGS.reading, ignoreMissing: true } };

describe('reading the watched sites', () => {
	let emulator: Emulator;

	beforeAll(async () => {
		emulator = await Emulator.start();
	});
	afterAll(async () => await emulator.stop());
	beforeEach(() => emulator.reset());

	const answer = (siteId: number) =>
		emulator.fail({
			route: 'site',
			siteId,
			fault: { kind: 'body', body: JSON.stringify({ siteId, siteName: `Site ${siteId}` }) },
		});
	const lose = (siteId: number) =>
		emulator.fail({ route: 'site', siteId, fault: { kind: 'status', status: 404 } });
	const hang = (siteId: number) =>
		emulator.fail({ route: 'site', siteId, fault: { kind: 'hang' } });

	it('gives each with the time at which it was read', async () => {
		for (const siteId of SETTINGS.siteIds) answer(siteId);
		const before = new Date().toISOString();

		const findings = await readWatched(transportTo(emulator.baseUrl), SETTINGS, [1, 2, 3]);

		expect(findings).toMatchObject({ failures: [], asked: [1, 2, 3], withoutTurn: 0 });
		expect([...findings.sightings.keys()]).toEqual([1, 2, 3]);
		const sighting = findings.sightings.get(2);
		expect(sighting).toMatchObject({ siteId: 2, site: { siteName: 'Site 2' } });
		expect((sighting?.seenAt ?? '') >= before).toBe(true);
	});

	it('tells of each that could not be read; with Ignore Missing Sites, not of those that do not exist', async () => {
		answer(1);
		lose(2);
		emulator.fail({ route: 'site', siteId: 3, fault: { kind: 'status', status: 501 } });
		const subjects = async (settings: Settings) =>
			(await readWatched(transportTo(emulator.baseUrl), settings, [1, 2, 3])).failures.map(
				({ subject, isShared }) => [subject, isShared],
			);

		await expect(subjects(SETTINGS)).resolves.toEqual([
			['2', false],
			['3', false],
		]);
		await expect(subjects(IGNORING)).resolves.toEqual([['3', false]]);
	});

	it('tells of what concerns all of them first, once', async () => {
		lose(1);
		lose(2);
		let asked = 0;
		const transport = transportTo(emulator.baseUrl, {
			beforeSending() {
				asked += 1;
				if (asked > 2) throw new TokenFailure({ message: 'Refused', description: 'Do this' });
			},
		});

		const { failures } = await readWatched(transport, SETTINGS, [1, 2, 3, 4]);

		expect(failures.map(({ subject, isShared }) => [subject, isShared])).toEqual([
			['account', true],
			['1', false],
			['2', false],
		]);
	});

	it('asks in the order that it is given, and says which there was no time for', async () => {
		answer(3);
		hang(2);
		hang(1);

		const findings = await readWatched(transportTo(emulator.baseUrl), SETTINGS, [3, 2, 1], {
			budgetMs: 100,
		});

		expect([...findings.sightings.keys()]).toEqual([3]);
		expect(findings).toMatchObject({ asked: [3], withoutTurn: 0 });
		expect(findings.failures).toEqual([
			{
				subject: 'time',
				isShared: true,
				failure: {
					message: '2 of 3 sites could not be read within 0.1 seconds',
					description:
						"They come first in the next poll. If it happens often, raise 'Concurrent Requests' under Options, or watch fewer sites with one trigger.",
				},
			},
		]);
	});
});
