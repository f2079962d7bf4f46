import { readingFailures } from '../../../../nodes/Aquaculture/trigger/failures';
import { serviceFailure } from '../../../../nodes/Aquaculture/trigger/readWatched';
import type { PollFailure } from '../../../../nodes/Aquaculture/trigger/failureReport';
import { recordsAfter, type SiteRecord } from '../../../../nodes/Aquaculture/trigger/record';
import type { Settings } from '../../../../nodes/Aquaculture/trigger/settings';
import type { SeenSite } from '../../../../nodes/Aquaculture/trigger/changeItem';
import { connectionFailure } from '../../../../service/failedRequest';
import { MESSAGES } from '../../../../texts/messages';
import type { Failure } from '../../../../nodes/Aquaculture/requests/failure';

/** Polls that ask for some of the sites 1, 2 and 3: what is read, what does not exist, and what fails otherwise. */
type Poll = { read?: number[]; gone?: number[]; failed?: number[] };

const failed = (siteId: number, failure: Partial<Failure>): PollFailure => ({
	subject: siteId,
	failure: { message: `Site ${siteId}`, description: 'Check it.', ...failure },
});
const settingsOf = (siteIds: number[], ignoreMissing = false) =>
	({
		siteIds,
		watch: { kinds: ['any'], additionalIncludes: [] },
		limits: { ignoreMissing },
	}) as unknown as Settings;
const readingOf = (read: number[], failures: PollFailure[]) => {
	const seen = new Map(read.map((siteId) => [siteId, { siteId, site: {} } as SeenSite]));
	const asked = [...read, ...failures.map(({ subject }) => Number(subject))];
	return { seen, failures, asked };
};
const messagesOf = (settings: Settings, polls: Poll[]) => {
	let known = new Map<number, SiteRecord>();
	return polls.map(({ read = [], gone = [], failed: others = [] }) => {
		const failures = [
			...gone.map((siteId) => failed(siteId, { unknown: true })),
			...others.map((siteId) => failed(siteId, {})),
		];
		const reading = readingOf(read, failures);
		known = recordsAfter(known, settings.siteIds, reading);
		const setup = { settings, linesLeftOut: [], failures: [] };
		return readingFailures(setup, reading, known).map(({ failure }) => failure.message);
	});
};
const NONE = 'The service does not know any of the 3 sites';

it.each<[string, boolean, Poll[], string[][]]>([
	['are reported', false, [{ read: [1], gone: [2, 3] }], [['Site 2', 'Site 3']]],
	['are ignored', true, [{ read: [1], gone: [2, 3] }], [[]]],
	['are one failure if none exists', false, [{ gone: [1, 2, 3] }], [[NONE]]],
	['are one failure if none exists, also ignored', true, [{ gone: [1, 2, 3] }], [[NONE]]],
	['may come one by one', true, [{ gone: [1, 2] }, { gone: [3] }, {}], [[], [NONE], [NONE]]],
	['may come back', true, [{ gone: [1, 2, 3] }, { read: [2], gone: [1] }], [[NONE], []]],
	['do not hide other failures', true, [{ gone: [1, 2], failed: [3] }], [['Site 3']]],
	[
		'count until they are read',
		true,
		[{ gone: [1, 2, 3] }, { failed: [3] }],
		[[NONE], [NONE, 'Site 3']],
	],
])('sites that do not exist %s', (_name, ignoreMissing, polls, expected) => {
	expect(messagesOf(settingsOf([1, 2, 3], ignoreMissing), polls)).toEqual(expected);
});

describe('a service that is down', () => {
	const asked = Array.from({ length: 10 }, (_, index) => 1001 + index);
	const refused = (siteId: number) =>
		failed(siteId, connectionFailure('ECONNREFUSED', `site ${siteId}`));
	const fault = (siteId: number) =>
		failed(siteId, {
			...MESSAGES.status.fault(`site ${siteId}`, 503),
			...{ statusCode: 503, retryable: true },
		});
	const late = (siteId: number) =>
		failed(siteId, {
			...MESSAGES.limits.tookTooLong(`site ${siteId}`, 3_598.865_131_499_999),
			retryable: true,
		});

	it.each([
		[refused, 'the service refused the connection'],
		[fault, 'the service could not answer the requests (status 503)'],
		[late, 'each took longer than 3.6 seconds'],
	])(
		'a service that is down is one failure of all sites, also of those that were not asked for: %p',
		(failing, reason) => {
			expect(serviceFailure(24, asked.map(failing))).toMatchObject({
				subject: 'sites',
				failure: { message: `None of the 24 sites could be read: ${reason}` },
			});
		},
	);

	it('a service that is down is not taken for down if the causes differ, if it answers, or if a single site is watched', () => {
		expect(serviceFailure(24, [...asked.map(refused), fault(1011)])).toBeUndefined();
		expect(serviceFailure(24, [failed(1001, { unknown: true })])).toBeUndefined();
		expect(serviceFailure(24, [])).toBeUndefined();
		expect(serviceFailure(1, [refused(1001)])).toBeUndefined();
	});
});
