import type { ContestantName } from './contestants';
import type { Figures } from './figures';
import type { LoadingCost } from './loadPackage.mjs';
import { figuresOf, type Results } from './results';

/** A figure that is to be reached: at most this much is required, at most that much is the goal. */
interface Target {
	what: string;
	required: number | undefined;
	goal: number;
	/** Undefined where what it needs has not run. */
	measure(results: Results): number | undefined;
}

/** A target with what was measured. */
export interface Verdict extends Omit<Target, 'measure'> {
	measured: number;
}

/** A figure of a contestant as a share of another one's; infinite where one of them has lost items. */
function ratio(
	what: string,
	scenario: string,
	figure: keyof Figures,
	contestant: ContestantName,
	reference: ContestantName,
	goal: number,
	required?: number,
): Target {
	return {
		what,
		required,
		goal,
		measure: (results) => {
			const [one, other] = [contestant, reference].map((name) =>
				figuresOf(results, scenario, name),
			);
			if (!one || !other) return undefined;
			return one.itemsLost + other.itemsLost > 0 ? Infinity : one[figure] / other[figure];
		},
	};
}

/** A figure of a contestant by itself. */
function bound(
	what: string,
	scenario: string,
	figure: keyof Figures,
	contestant: ContestantName,
	required: number,
): Target {
	return {
		what,
		required,
		goal: required,
		measure: (results) => figuresOf(results, scenario, contestant)?.[figure],
	};
}

/** What loading the package in n8n costs more than loading an empty one. */
function loading(what: string, figure: keyof LoadingCost, required: number): Target {
	return {
		what: `loading the package: ${what}`,
		required,
		goal: required,
		measure: ({ footprint }) => footprint?.loading[figure],
	};
}

const BUSY = '5000-0ms';
const DISTANT = '1000-50ms';
const LIMITED = 'Get Many Sites, 100 requests a minute';

const TARGETS: readonly Target[] = [
	ratio('Get Site: CPU of HTTP Request', BUSY, 'cpuSeconds', 'getSite', 'httpRequest', 0.3, 0.35),
	ratio(
		'Get Many Sites: CPU of HTTP Request',
		BUSY,
		'cpuSeconds',
		'getManySites',
		'httpRequest',
		0.16,
		0.18,
	),
	...(['getSite', 'getManySites'] as const).flatMap((name) => {
		const label = name === 'getSite' ? 'Get Site' : 'Get Many Sites';
		return [
			ratio(
				`${label}: time of the bare script`,
				DISTANT,
				'stepSeconds',
				name,
				'undici',
				1.12,
				1.25,
			),
			ratio(
				`${label}: time of HTTP Request`,
				DISTANT,
				'stepSeconds',
				name,
				'httpRequest',
				0.6,
				0.68,
			),
			ratio(
				`${label}, 50 concurrent: time of HTTP Request`,
				DISTANT,
				'stepSeconds',
				`${name}50`,
				'httpRequest',
				0.35,
			),
			ratio(
				`${label}, 1,000 sites: memory growth of HTTP Request`,
				DISTANT,
				'memoryGrowthMB',
				name,
				'httpRequest',
				0.5,
				0.5,
			),
			ratio(
				`${label}, 5,000 sites: memory growth of HTTP Request`,
				BUSY,
				'memoryGrowthMB',
				name,
				'httpRequest',
				0.45,
			),
			bound(`items lost, ${label}, 2 % of 503`, 'unavailable', 'itemsLost', name, 0),
			bound(`requests per site, ${label}, 2 % of 503`, 'unavailable', 'requestsPerSite', name, 1.2),
		];
	}),
	bound(`items lost, ${LIMITED}`, 'limit', 'itemsLost', 'getManySites', 0),
	bound(`refused, ${LIMITED}`, 'limit', 'refusals', 'getManySites', 0),
	bound(`time of what is allowed, ${LIMITED}`, 'limit', 'timesShortest', 'getManySites', 1.1),
	loading('milliseconds', 'milliseconds', 15),
	loading('MB of heap', 'heapMB', 3),
];

/** How far the targets were reached; those for which something has not run are left out. */
export function judge(results: Results): Verdict[] {
	return TARGETS.flatMap(({ measure, ...target }) => {
		const measured = measure(results);
		return measured === undefined ? [] : [{ ...target, measured }];
	});
}

/** Whether what is required was reached. */
export function isMet({ measured, required }: Verdict): boolean {
	return required === undefined || measured <= required;
}
