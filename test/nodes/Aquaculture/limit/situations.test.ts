import { MINUTE_MS, SECOND_MS } from '../../../../nodes/Aquaculture/utils/time';
import { Service } from './service';

// Hours pass on the virtual clock.
jest.setTimeout(300_000);

const countOf = (list: readonly string[], value: string) =>
	list.filter((each) => each === value).length;

const FORBIDDEN: Record<string, (document: number) => boolean> = {
	'every third': (document) => document % 3 === 0,
	'the first hundred': (document) => document < 100,
	'the last hundred': (document) => document >= 200,
	'a hundred here and there': (document) => (document * 7919) % 300 < 100,
};

const RATES: Array<[requestsPerMinute: number, mostLogins: number]> = [
	[Infinity, 4],
	[100, 5],
	[30, 7],
	[10, 8],
	[5, 9],
];

it.each(
	Object.keys(FORBIDDEN).flatMap((which) =>
		RATES.map(([requestsPerMinute, most]) => [which, requestsPerMinute, most] as const),
	),
)(
	'an execution with %s of 300 documents forbidden, at %d requests a minute, reads the others with at most %d logins',
	async (which, requestsPerMinute, most) => {
		const service = new Service(requestsPerMinute);
		service.isForbidden = FORBIDDEN[which] as (document: number) => boolean;

		service.read(300);
		await service.settle();

		expect(service.logins).toBeLessThanOrEqual(most);
		expect(countOf(service.outcomes, 'read')).toBe(200);
		expect(countOf(service.outcomes, 'rejected')).toBe(100);
	},
);

/** Logins for forbidden documents did not help, so the backoff delays the login after the revocation by minutes. */
const LOSSES: Array<[requestsPerMinute: number, mostLost: number]> = [
	[100, 4],
	[30, 75],
	[10, 12],
];

it.each(
	Object.keys(FORBIDDEN).flatMap((which) =>
		LOSSES.map(([requestsPerMinute, most]) => [which, requestsPerMinute, most] as const),
	),
)(
	'an execution with %s of 300 documents forbidden and a revocation, at %d requests a minute, loses at most %d others',
	async (which, requestsPerMinute, most) => {
		const service = new Service(requestsPerMinute);
		service.isForbidden = FORBIDDEN[which] as (document: number) => boolean;

		service.read(300);
		await service.advance((150 / requestsPerMinute) * MINUTE_MS);
		service.revoke();
		await service.settle();

		expect(countOf(service.outcomes, 'read')).toBeGreaterThanOrEqual(200 - most);
	},
);

it.each([
	[100, 20],
	[100, 60],
	[30, 60],
	[10, 120],
])(
	'an execution at %d requests a minute loses no documents to a revocation every %d seconds',
	async (requestsPerMinute, seconds) => {
		const service = new Service(requestsPerMinute);

		service.read(300);
		for (let at = 0; at < (300 / requestsPerMinute) * 60; at += seconds) {
			await service.advance(seconds * SECOND_MS);
			service.revoke();
		}
		await service.settle();

		expect(countOf(service.outcomes, 'read')).toBe(300);
	},
);
