import type { PollFailure } from '../../../../nodes/Aquaculture/trigger/failureReport';
import { reportable } from '../../../../nodes/Aquaculture/trigger/missingSites';

const failed = (siteId: number, unknown: boolean): PollFailure => ({
	subject: siteId,
	failure: { message: `Site ${siteId}`, description: 'Check it.', unknown },
});
const NONE = 'The service does not know any of the 3 sites';

describe('sites that do not exist', () => {
	/** Polls that ask for some of the sites 1, 2 and 3: what is read, what does not exist, and what fails otherwise. */
	type Poll = { read?: number[]; gone?: number[]; failed?: number[] };

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
	])('%s', (_name, ignoreMissing, polls, expected) => {
		const missing = new Set();
		const settings = { siteIds: [1, 2, 3], limits: { ignoreMissing } };

		const reported = polls.map(({ read = [], gone = [], failed: others = [] }) => {
			const failures = [
				...gone.map((siteId) => failed(siteId, true)),
				...others.map((siteId) => failed(siteId, false)),
			];
			const seen = new Map(read.map((siteId) => [siteId, {}]));
			return reportable(failures, seen, settings, missing);
		});

		expect(reported.map((list) => list.map(({ failure }) => failure.message))).toEqual(expected);
	});
});
