import type { IPollFunctions } from 'n8n-workflow';
import fc from '../../../fixedSeed';
import { RateLimiter } from '../../../../nodes/Aquaculture/limit/rateLimiter';
import {
	FailedExecutions,
	listFailures,
} from '../../../../nodes/Aquaculture/trigger/failedExecutions';
import type { PollSetup } from '../../../../nodes/Aquaculture/trigger/pollSetup';
import { SiteRecords } from '../../../../nodes/Aquaculture/trigger/siteRecords';
import {
	createStatusReport,
	ReportState,
} from '../../../../nodes/Aquaculture/trigger/statusReport';
import type { Failure } from '../../../../nodes/Aquaculture/messages/failure';
import { MINUTE_MS } from '../../../../nodes/Aquaculture/utils/time';

type Status = 403 | 404 | 502 | 504 | 'refused' | 'hangs';

/** What the service answers: for all sites, or for some; the others are read. */
type Answers = Status | Record<number, Status>;

interface Schedule {
	what: string;
	answersIn: (minute: number) => Answers;
	hours: number;
	sites?: number;
	/** How many sites a poll has time for. */
	perPoll?: number;
	everyMinutes?: number;
	/** Known Sites has a line that names no site. */
	hasBadLine?: boolean;
	/** The minutes of the polls that start a failed execution. */
	told: number[];
	/** Begins the report of each day at six, or of the end. */
	report: RegExp;
}

const turns = <T>(minute: number, length: number, ...of: T[]) =>
	of[Math.floor(minute / length) % of.length] as T;
const hourly = (hours: number, first = 0) =>
	Array.from({ length: hours + 1 }, (_, hour) => first + 60 * hour);

const SCHEDULES: Schedule[] = [
	{
		what: '502 and 504 by turns',
		...{ hours: 6, answersIn: (minute) => turns(minute, 1, 502, 504) },
		...{ told: hourly(6), report: /^Not all is well: 3 sites\. Site 1: 502\. Site 2: 502/ },
	},
	{
		what: 'an outage, with hourly polls that come a quarter of a minute early',
		...{ hours: 2, everyMinutes: 59.75, answersIn: () => 502 },
		...{ told: [0, 59.75, 119.5], report: /^Not all is well: 3 sites\. Site 1: 502/ },
	},
	{
		what: 'a service that is down every other minute',
		...{ hours: 6, answersIn: (minute) => turns<Answers>(minute, 1, {}, 504) },
		...{ told: hourly(5, 1), report: /^All is well/ },
	},
	{
		what: 'an outage, then a refused login, with the next reminder',
		...{ hours: 2, answersIn: (minute) => (minute < 20 ? 502 : 'refused') },
		...{ told: hourly(2), report: /^Not all is well: 3 sites\. Login refused/ },
	},
	{
		what: 'a refused login every other minute beside a forbidden site',
		...{ hours: 2, answersIn: (minute) => turns<Answers>(minute, 1, { 1: 403 }, 'refused') },
		...{ told: [0, 1, 60, 61, 120], report: /^Not all is well: 3 sites.*Site 1: 403/ },
	},
	{
		what: 'a site that fails every other minute',
		...{ hours: 2, answersIn: (minute) => turns(minute, 1, {}, { 1: 404 }) },
		...{ told: [1, 61], report: /^All is well/ },
	},
	{
		what: 'a second site with the next reminder of a first one',
		...{ hours: 3, answersIn: (minute) => (minute < 65 ? { 1: 403 } : { 1: 403, 2: 404 }) },
		...{ told: hourly(3), report: /Site 1: 403\. Site 2: 404 \(last read/ },
	},
	{
		what: 'everything by turns',
		...{
			hours: 3,
			answersIn: (minute) => turns<Answers>(minute, 3, 502, 'refused', 403, { 1: 404 }, {}),
		},
		...{
			hasBadLine: true,
			told: [0, 9, 60, 69, 120, 129, 180],
			report: /^Not all is well/,
		},
	},
	{
		what: 'a line of Known Sites that names no site',
		...{ hours: 2, hasBadLine: true, answersIn: () => ({}) },
		...{ told: hourly(2), report: /^Not all is well: 3 sites, last read .*Bad line/ },
	},
	{
		what: 'all rights lost while sites are read in turns',
		...{ hours: 2, sites: 60, perPoll: 25, answersIn: (minute) => (minute < 30 ? {} : 403) },
		...{ told: [30, 90], report: /^Not all is well: 60 sites, last read/ },
	},
	{
		what: 'more sites than there is time for until the first report',
		...{ hours: 6, sites: 400, perPoll: 25, everyMinutes: 60, answersIn: () => ({}) },
		...{
			told: [],
			report:
				/^Not all sites were read: 400 sites, .* 225 sites not read since the trigger started/,
		},
	},
	{
		what: 'a round of six days',
		...{ hours: 24 * 14, sites: 150, perPoll: 25, everyMinutes: 1440, answersIn: () => ({}) },
		...{ told: [], report: /^Not all sites were read: 150 sites, .* 100 sites not read since/ },
	},
];

const TRANSIENT = { isTransient: true };
const FAILURES: Record<Status, Partial<Failure>> = {
	refused: { kind: 'loginRefused', stopsAll: true },
	hangs: TRANSIENT,
	403: { kind: 'forbidden' },
	404: { kind: 'notFound' },
	502: TRANSIENT,
	504: TRANSIENT,
};

const failureOf = (siteId: number, status: Status): Failure => {
	const message = status === 'refused' ? 'Login refused' : `Site ${siteId}: ${status}`;
	return { message, description: '', ...FAILURES[status] };
};

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** Polls as a schedule says. @returns the minutes of failed executions, and the last report. */
function follow({
	answersIn,
	hours,
	sites: count = 3,
	...schedule
}: Omit<Schedule, 'what' | 'told' | 'report'>) {
	const { perPoll = count, everyMinutes = 1, hasBadLine = false } = schedule;
	jest.setSystemTime(Date.parse('2026-03-09T06:00:00Z'));
	const sites = Array.from({ length: count }, (_, index) => ({
		siteId: index + 1,
		siteName: null,
	}));
	const [records, counts] = [new SiteRecords(), new ReportState()];
	const failedExecutions = new FailedExecutions();
	const told: number[] = [];
	let minute = 0;
	const context = {
		getNode: () => ({ name: 'Trigger', type: 'trigger', parameters: {} }),
		getWorkflow: () => ({ id: '1' }),
		getTimezone: () => 'UTC',
		__emitError: () => told.push(minute),
	} as unknown as IPollFunctions;
	const badLine = { message: 'Bad line', description: '' };
	let report = '';
	for (; minute <= hours * 60; minute += everyMinutes) {
		const beganAt = minute * MINUTE_MS;
		// Two polls have half of the requests of a minute each.
		const settings = { requestsPerMinute: 2 * perPoll };
		const setup = {
			poll: { kind: 'regular', beganAt, endsAt: beganAt + MINUTE_MS / 2 },
			settings: { sitesChoice: 'all' },
			client: { account: { settings, limiter: new RateLimiter() } },
			unusableEntries: hasBadLine ? [badLine] : [],
			sites,
		} as unknown as PollSetup;
		records.watch(sites, beganAt);
		const answers = answersIn(minute);
		const results = records.all.map(({ site: { siteId } }, index) => {
			const answer = typeof answers === 'object' ? answers[siteId] : answers;
			const failure: Failure | undefined =
				index >= perPoll
					? { message: 'Not sent', description: '', kind: 'noSlot', stopsAll: true }
					: answer && failureOf(siteId, answer);
			return { siteId, failure };
		});
		const read = results.filter(({ failure }) => !failure);
		const seenAt = new Date().toISOString();
		records.recordResults(
			{
				fetched: new Map(read.map(({ siteId }) => [siteId, { siteId, site: {}, seenAt }])),
				failuresOf: new Map(
					results.map(({ siteId, failure }) => [siteId, failure ? [failure] : []]),
				),
			},
			beganAt,
		);
		failedExecutions.emitFailures(context, setup, records);
		const isLast = minute + everyMinutes > hours * 60;
		if (isLast || (minute > 0 && minute % 1440 === 0)) {
			report = String(createStatusReport(context, counts, 'daily', setup, records).summary);
			counts.reset();
			const isFailing = listFailures(setup, records).length > 0;
			expect([report, isFailing]).toEqual([report, !/^(All|Not all sites)/.test(report)]);
		}
		jest.advanceTimersByTime(everyMinutes * MINUTE_MS);
	}
	return { told, report };
}

const mostInAnHour = (told: number[]) => {
	const inHour = (from: number) => told.filter((at) => at >= from && at - from < 60);
	return Math.max(0, ...told.map((from) => inHour(from).length));
};

it.each(SCHEDULES)('the trigger tells of $what', (schedule) => {
	const { told, report } = follow(schedule);

	expect(told).toEqual(schedule.told);
	expect(report).toMatch(schedule.report);
});

it('there are two failed executions an hour at most, whatever fails', () => {
	const site = fc.constantFrom<Array<Status | undefined>>(undefined, undefined, 403, 404, 502);
	const answers = fc.oneof(
		fc.constantFrom<Answers[]>({}, 403, 502, 'refused', 'hangs'),
		fc.record({ 1: site, 2: site, 3: site }).map((each) => each as Answers),
	);
	const minutes = fc.array(answers, { minLength: 121, maxLength: 121 });
	fc.assert(
		fc.property(minutes, fc.boolean(), (each, hasBadLine) => {
			const answersIn = (minute: number) => each[minute] ?? {};
			const { told } = follow({ answersIn, hours: 2, hasBadLine });

			expect(mostInAnHour(told)).toBeLessThanOrEqual(2);
		}),
		{ numRuns: 20 },
	);
});
