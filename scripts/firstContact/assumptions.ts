import { SECOND_MS, spellDuration } from '../../shared/duration';
import { TOO_MANY_REQUESTS } from '../../shared/retry';
import { documentedTypes, otherTypes, SITE } from './fields';
import type { Seen } from './observe';
import type { ProbeName } from './probes';

type Verdict = 'holds' | 'differs' | 'not seen';

/** What docs/service-interface.md leaves open, what the package assumes, and what was seen. */
export interface Finding {
	open: string;
	assumed: string;
	seen: string;
	verdict: Verdict;
}

/** What was seen in words, and whether it is as assumed. */
type Judgement = [seen: string, isAssumed: boolean];

interface Assumption {
	open: string;
	assumed: string;
	/** Undefined where it could not be seen. */
	judge(seen: Sightings): Judgement | undefined;
}

/** What was seen, by the names of the probes. */
class Sightings {
	constructor(readonly all: readonly Seen[]) {}

	of(name: ProbeName): Seen | undefined {
		return this.all.find((seen) => seen.name === name);
	}

	/** The answers that hold a site. */
	get sites(): Seen[] {
		return this.all.filter((seen) => seen.isSiteAskedFor !== undefined);
	}

	get failures(): Seen[] {
		return this.all.filter(({ status = 0 }) => status >= 400);
	}

	/** The paths of all fields of sites for which this holds. */
	fieldsWith(isMeant: (types: string[], path: string) => boolean): string[] {
		const paths = this.sites.flatMap(({ fields }) =>
			Object.entries(fields.types)
				.filter(([path, types]) => isMeant(types, path))
				.map(([path]) => path),
		);
		return [...new Set(paths)];
	}

	/** The types of a field of sites in which its object was sent. */
	typesOf(path: string): string[] {
		return [...new Set(this.sites.flatMap(({ fields }) => fields.types[path] ?? []))];
	}
}

const PARTS = ['info', 'units'] as const;

type Part = (typeof PARTS)[number];

function typesOfPart({ fields }: Seen, part: Part): string[] {
	return fields.types[part] ?? [];
}

function has(seen: Seen, part: Part): boolean {
	return typesOfPart(seen, part).some((type) => !['missing', 'null'].includes(type));
}

/** "`info` object, `units` missing". */
function partsOf(seen: Seen): string {
	return PARTS.map((part) => `\`${part}\` ${typesOfPart(seen, part).join(' or ')}`).join(', ');
}

/** Judges which parts a request was answered with. */
function comesWith(name: ProbeName, expected: readonly Part[]): Assumption['judge'] {
	return (sightings) => {
		const seen = sightings.of(name);
		if (seen?.status === undefined || seen.status === TOO_MANY_REQUESTS) return undefined;
		// The service may only be unwell for the moment.
		if (seen.status >= 500) return undefined;
		if (seen.isSiteAskedFor === undefined) {
			return [`Status ${seen.status}, body: ${seen.content}`, false];
		}
		return [partsOf(seen), PARTS.every((part) => has(seen, part) === expected.includes(part))];
	};
}

/** Judges the status of an answer. One that is refused for the number of requests says nothing. */
function statusOf(
	seen: Seen | undefined,
	isAssumed: (status: number) => boolean,
): Judgement | undefined {
	if (seen?.status === undefined || seen.status === TOO_MANY_REQUESTS) return undefined;
	return [`Status ${seen.status}`, isAssumed(seen.status)];
}

function code(names: readonly string[]): string {
	return names.map((name) => `\`${name}\``).join(', ');
}

const isSuccess = (status: number) => status >= 200 && status < 300;
const isRejected = (status: number) => [401, 403].includes(status);

const ASSUMPTIONS: Assumption[] = [
	{
		open: 'Status of a login that works',
		assumed: '200 to 299',
		judge: (sightings) => statusOf(sightings.of('login'), isSuccess),
	},
	{
		open: 'Form of the token',
		assumed: 'The characters of a bearer token; it may be a JWT',
		judge(sightings) {
			const token = sightings.of('login')?.token;
			if (!token) return undefined;
			const characters = token.isBearer ? 'those characters' : 'other characters too';
			return [`${token.isJwt ? 'A JWT' : 'Not a JWT'}, ${characters}`, token.isBearer];
		},
	},
	{
		open: 'Lifetime in the token',
		assumed: '`exp` less `iat`, in seconds, where it has both',
		judge(sightings) {
			const token = sightings.of('login')?.token;
			if (!token) return undefined;
			const { lifetimeSeconds } = token;
			if (lifetimeSeconds === undefined) return ['It does not have both', true];
			return [`${lifetimeSeconds} seconds`, lifetimeSeconds > 0];
		},
	},
	{
		open: 'Unit of `expires_in`',
		assumed: 'Seconds; used only where the token does not say when it ends',
		judge(sightings) {
			const { unit, expiresIn } = sightings.of('login')?.token ?? {};
			if (unit === undefined) return undefined;
			return [`${expiresIn}; by the lifetime in the token: ${unit}`, unit === 'seconds'];
		},
	},
	{
		open: 'Whether a login ends earlier tokens',
		assumed: 'It may; a rejected token is replaced',
		judge(sightings) {
			const seen = sightings.of('firstToken');
			const { token } = sightings.of('secondLogin') ?? {};
			if (seen?.status === undefined || !token) return undefined;
			if (token.isRepeated) return ['The second login returned the same token', true];
			if (isSuccess(seen.status)) return ['The first token is still accepted', true];
			return [`Status ${seen.status} for the first token`, isRejected(seen.status)];
		},
	},
	{
		open: 'Answer to `$include=units,info` in full',
		assumed: 'Both parts',
		judge: comesWith('both', PARTS),
	},
	{
		open: 'Answer without `$include`',
		assumed: 'Neither part: each is missing or null',
		judge: comesWith('none', []),
	},
	{
		open: 'Answer to `$include=info`',
		assumed: '`info` alone: `units` is missing or null',
		judge: comesWith('info', ['info']),
	},
	{
		open: 'Answer to `$include=units`',
		assumed: '`units` alone: `info` is missing or null',
		judge: comesWith('units', ['units']),
	},
	{
		open: 'An encoded `$`',
		assumed: 'The same as a plain one',
		judge: comesWith('encodedDollar', PARTS),
	},
	{
		open: 'An encoded comma',
		assumed: 'The same as a plain one',
		judge: comesWith('encodedComma', PARTS),
	},
	{
		open: 'The parameter spelled `include`',
		assumed: 'Not known to the service: neither part',
		judge: comesWith('otherName', []),
	},
	{
		open: 'Which fields are required',
		assumed: 'None: each may be missing or null',
		judge(sightings) {
			if (sightings.sites.length === 0) return undefined;
			const isPart = (path: string) => PARTS.some((part) => part === path);
			const missing = sightings.fieldsWith(
				(types, path) => types.includes('missing') && !isPart(path),
			);
			const empty = sightings.fieldsWith((types) => types.includes('null'));
			const lists = [
				...(missing.length > 0 ? [`missing: ${code(missing)}`] : []),
				...(empty.length > 0 ? [`null: ${code(empty)}`] : []),
			];
			return [lists.join('; ') || 'All are there', true];
		},
	},
	{
		open: 'Types of the fields of a site',
		assumed: 'As documented',
		judge(sightings) {
			if (sightings.sites.length === 0) return undefined;
			const documented = documentedTypes(SITE);
			const others = sightings.fieldsWith(
				(types, path) => otherTypes(types, documented[path] ?? '').length > 0,
			);
			return [
				others.length === 0 ? 'As documented' : `Others: ${code(others)}`,
				others.length === 0,
			];
		},
	},
	{
		open: '`siteId` of the answer',
		assumed: 'The number that was asked for, missing or null',
		judge({ sites }) {
			if (sites.length === 0) return undefined;
			const isAbsent = ({ fields }: Seen) =>
				['missing', 'null'].includes(fields.types.siteId?.[0] ?? '');
			const others = sites.filter((seen) => !seen.isSiteAskedFor && !isAbsent(seen));
			if (others.length > 0) return [`Another value in ${others.length} answers`, false];
			return [sites.some(isAbsent) ? 'Not always there' : 'The number', true];
		},
	},
	{
		open: '`maxTotalBiomass`',
		assumed: 'A number; its unit is not known',
		judge: typeOfField('info.maxTotalBiomass', 'number'),
	},
	{
		open: '`info.type`',
		assumed: 'Any text',
		judge: typeOfField('info.type', 'text'),
	},
	{
		open: 'Fields that are not documented',
		assumed: 'There may be some; they are passed on',
		judge({ sites }) {
			if (sites.length === 0) return undefined;
			const most = (path: string) =>
				Math.max(0, ...sites.map(({ fields }) => fields.others[path] ?? 0));
			const seen = `${most('')} of the site, ${most('info')} of \`info\`, ${most('units[]')} of a unit`;
			return [seen, true];
		},
	},
	{
		open: 'Answer for an unknown site',
		assumed: 'Status 404',
		judge: (sightings) => statusOf(sightings.of('unknownSite'), (status) => status === 404),
	},
	{
		open: 'Answer to an unsupported version',
		assumed: 'Status 400',
		judge: (sightings) => statusOf(sightings.of('badVersion'), (status) => status === 400),
	},
	{
		open: 'Answer to a token that is not accepted',
		assumed: 'Status 401 or 403',
		judge: (sightings) => statusOf(sightings.of('wrongToken'), isRejected),
	},
	{
		open: 'Body of an unsuccessful answer',
		assumed:
			'An object with the texts `code`, `message` and `traceId`, each of which may be missing',
		judge({ failures }) {
			if (failures.length === 0) return undefined;
			const odd = failures.filter(
				({ isObject, fields }) =>
					!isObject ||
					['code', 'message', 'traceId'].some(
						(name) => otherTypes(fields.types[name] ?? [], 'text').length > 0,
					),
			);
			return odd.length === 0
				? ['Such an object', true]
				: [`Another body in ${odd.length} of ${failures.length} answers`, false];
		},
	},
	{
		open: 'Content type and charset',
		assumed: 'JSON, whatever the content type says; UTF-8 where it names no charset',
		judge({ all }) {
			const answers = all.filter(({ status = 0 }) => isSuccess(status));
			if (answers.length === 0) return undefined;
			const types = answers.map(({ headers }) => headers['content-type'] ?? 'no content type');
			const isJson = answers.every(({ isObject }) => isObject);
			return [
				`${[...new Set(types)].join('; ')}; ${isJson ? 'always' : 'not always'} a JSON object`,
				isJson,
			];
		},
	},
	{
		open: 'Redirects',
		assumed: 'None',
		judge({ all }) {
			if (all.every(({ status }) => status === undefined)) return undefined;
			const redirects = all.flatMap(({ redirect }) => redirect ?? []);
			const places = [...new Set(redirects)].join(' and ');
			return redirects.length === 0 ? ['None', true] : [`${redirects.length}, to ${places}`, false];
		},
	},
	{
		open: 'Clocks',
		assumed: 'They may differ',
		judge({ all }) {
			const clock = clockDifference(all);
			return clock === undefined ? undefined : [clock, true];
		},
	},
];

function typeOfField(path: string, documented: string): Assumption['judge'] {
	return (sightings) => {
		const types = sightings.typesOf(path);
		if (types.length === 0) return undefined;
		return [types.join(' or '), otherTypes(types, documented).length === 0];
	};
}

/** How the clocks differ, by the answer that took the least time. */
function clockDifference(all: readonly Seen[]): string | undefined {
	/** The header has whole seconds. */
	const UNSURE_MS = 2 * SECOND_MS;
	const [fastest] = all
		.filter(({ aheadMs }) => aheadMs !== undefined)
		.sort((one, other) => one.ms - other.ms);
	if (fastest?.aheadMs === undefined) return undefined;
	const { aheadMs, ms } = fastest;
	const difference = Math.abs(aheadMs);
	if (difference < UNSURE_MS + ms / 2) return 'No difference seen';
	const direction = aheadMs > 0 ? 'ahead of' : 'behind';
	return `The service is ${spellDuration(difference, Math.round)} ${direction} this computer`;
}

/** Judges all assumptions by what was seen. */
export function findingsOf(all: readonly Seen[]): Finding[] {
	const sightings = new Sightings(all);
	return ASSUMPTIONS.map(({ open, assumed, judge }) => {
		const [seen, isAssumed] = judge(sightings) ?? ['', undefined];
		const verdict = isAssumed === undefined ? 'not seen' : isAssumed ? 'holds' : 'differs';
		return { open, assumed, seen, verdict };
	});
}
