import { jwtDecode } from 'jwt-decode';
import { FIELDS, PROBES } from './assumptions';
import { isAccepted, type Answer, type Contact, type Target } from './contact';

type Fields = Record<string, unknown>;
type Part = keyof typeof FIELDS;

/** Headers whose presence is shown; other names may name the operator. */
const HEADERS = /^(retry-after|(x-)?rate-?limit(-(limit|remaining|reset|policy))?)$/;

/**
 * What was seen, in Markdown, as it may be shown in public: of what the service has sent, only status codes and
 * lifetimes are repeated.
 * All else is in words of this file and of `assumptions.ts`.
 *
 * @param heading when and with which versions the contact was made.
 */
export function reportOf(
	{ answers, end = '' }: Contact,
	{ siteId }: Target,
	heading: string,
): string {
	const requests = PROBES.map(({ title, assumed }, index) => {
		const answer = answers[index];
		const seen = answer ? seenIn(answer) : '';
		return [`${index + 1}. ${title}`, assumed.join(' or '), seen, verdictOn(seen, assumed)];
	});
	const parts = partsOf(answers);
	const fields = Object.entries(FIELDS).flatMap(([part, types]) =>
		Object.entries(types).map(([field, type]) => {
			const seen = [...new Set(parts[part as Part].map((object) => typeOf(object[field])))];
			const differs = seen.some((each) => !ACCEPTED[type]?.includes(each));
			const verdict = seen.length === 0 ? 'not seen' : differs ? '**differs**' : 'holds';
			return [`${part}: \`${field}\``, type, seen.join(' or '), verdict];
		}),
	);
	const isAnother = parts.site.some(
		(site) => typeof site.siteId === 'number' && site.siteId !== siteId,
	);
	const undocumented = (['token', 'site', 'info', 'unit'] as const).flatMap((part) =>
		Object.keys(Object.assign({}, ...parts[part])).filter(
			(name) => !Object.hasOwn(FIELDS[part], name),
		),
	);
	const headers = answers.flatMap((answer) => Object.keys(answer.headers));
	const limits = [...new Set(headers.filter((name) => HEADERS.test(name)))];
	return [
		'## First contact with the service',
		`${heading}. ${answers.length} of ${PROBES.length} requests were sent. ${end}`.trim(),
		'The report contains no password, token, address, name of the version header or data of a site, and no name of a field that is not documented.',
		table('Request | Assumed | Seen | Verdict', requests),
		table('Field | Documented | Seen | Verdict', fields),
		[
			`- Site ID of the answers: ${isAnother ? '**another one than asked for**' : 'as asked for'}`,
			`- Fields that are not documented, and are passed on: ${undocumented.length}`,
			`- Seconds from \`iat\` to \`exp\` in the token, and \`expires_in\`: ${lifetimesOf(parts.token[0])}`,
			`- Headers about the limit: ${limits.join(', ') || 'none'}`,
		].join('\n'),
	].join('\n\n');
}

/** What is in an answer, in words that say nothing of what it holds. */
function seenIn(answer: Answer): string {
	const { probe, status, json } = answer;
	if (status === undefined) return 'no whole answer';
	if (!isAccepted(answer)) return `status ${status}`;
	if (!isObject(json)) return `status ${status} without a JSON object`;
	if (probe.isLogin) return typeof json.access_token === 'string' ? 'a token' : 'no token';
	const parts = ['info', 'units'].filter((part) => json[part] !== undefined && json[part] !== null);
	return ['a site', parts.join(' and ')].filter(Boolean).join(' with ');
}

function verdictOn(seen: string, assumed: readonly string[]): string {
	// The service may only be unwell for the moment.
	if (/^$|^no whole answer$|^status (429|5\d\d)$/.test(seen)) return 'not seen';
	return assumed.includes(seen) ? 'holds' : '**differs**';
}

/** The objects that were answered, by what is documented of them. */
function partsOf(answers: readonly Answer[]): Record<Part, Fields[]> {
	const objects = (wanted: (answer: Answer) => boolean) =>
		answers
			.filter(wanted)
			.map(({ json }) => json)
			.filter(isObject);
	const site = objects((answer) => isAccepted(answer) && !answer.probe.isLogin);
	return {
		token: objects((answer) => isAccepted(answer) && answer.probe.isLogin === true),
		site,
		info: site.map(({ info }) => info).filter(isObject),
		unit: site
			.flatMap(({ units }): unknown[] => (Array.isArray(units) ? units : []))
			.filter(isObject),
		failure: objects(({ status = 0 }) => status >= 400),
	};
}

/** What the types of a documented field may be in an answer, by the documented one. */
const ACCEPTED: Record<string, readonly string[]> = {
	'whole number': ['whole number', 'missing', 'null'],
	number: ['number', 'whole number', 'missing', 'null'],
	text: ['text', 'missing', 'null'],
	object: ['object', 'missing', 'null'],
	list: ['list', 'missing', 'null'],
};

function typeOf(value: unknown): string {
	if (value === undefined) return 'missing';
	if (value === null) return 'null';
	if (Array.isArray(value)) return 'list';
	if (typeof value === 'number') return Number.isInteger(value) ? 'whole number' : 'number';
	return (
		{ string: 'text', boolean: 'true or false', object: 'object' }[typeof value as string] ?? ''
	);
}

const isObject = (value: unknown): value is Fields => typeOf(value) === 'object';

/** The lifetimes that a token states, as numbers; the unit of `expires_in` is not documented. */
function lifetimesOf({ access_token: token, expires_in: announced }: Fields = {}): string {
	const shown = (value: unknown) =>
		Number.isFinite(Number(value)) ? String(Number(value)) : 'no number';
	let seconds: unknown;
	try {
		const { exp, iat } = jwtDecode<{ exp: number; iat: number }>(String(token));
		seconds = exp - iat;
	} catch {
		// It need not be a JWT.
	}
	return `${shown(seconds)}, ${shown(announced)}`;
}

function table(titles: string, rows: readonly (readonly string[])[]): string {
	const rule = titles.replace(/[^|]+/g, ' --- ').trim();
	const lines = [titles, rule, ...rows.map((cells) => cells.join(' | '))];
	return lines.map((line) => `| ${line} |`).join('\n');
}
