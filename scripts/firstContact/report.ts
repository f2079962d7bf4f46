import { jwtDecode } from 'jwt-decode';
import { siteSchema } from '../../nodes/Aquaculture/service/siteSchema';
import { FIELDS } from './assumptions';
import { isAccepted, type Answer, type Contact } from './contact';

type Fields = Record<string, unknown>;
type Part = keyof typeof FIELDS;
const PARTS = Object.keys(FIELDS) as Part[];

/** Headers whose presence is shown; other names may name the operator. */
const HEADERS = /^(retry-after|(x-)?rate-?limit(-(limit|remaining|reset|policy))?)$/;

/**
 * What was seen, in Markdown, as it may be shown in public: of what the service has sent, only status codes and
 * lifetimes are repeated. All else is in words of this file and of `assumptions.ts`.
 *
 * @param heading when and with which versions the contact was made.
 */
export function reportOf({ answers, end }: Contact, siteId: number, heading: string): string {
	const requests = answers.map((answer, index) => {
		const { title, assumed } = answer.probe;
		const seen = seenIn(answer, siteId);
		return [`${index + 1}. ${title}`, assumed.join(' or '), seen, verdictOn(seen, assumed)];
	});
	const parts = partsOf(answers);
	const fields = PARTS.flatMap((part) =>
		FIELDS[part].map((field) => {
			const filled = parts[part].filter((object) => (object[field] ?? null) !== null);
			return [`${part}: \`${field}\``, `${filled.length} of ${parts[part].length}`];
		}),
	);
	const undocumented = PARTS.flatMap((part) => {
		const names = new Set(parts[part].flatMap((object) => Object.keys(object)));
		return [...names].filter((name) => !FIELDS[part].includes(name));
	});
	const headers = answers.flatMap((answer) => Object.keys(answer.headers));
	const limits = [...new Set(headers.filter((name) => HEADERS.test(name)))];
	return [
		'## First contact with the service',
		`${heading}. ${answers.length} requests were sent. ${end}`.trim(),
		'The report contains no password, token, address, name of the version header or data of a site, and no name of a field that is not documented.',
		table('Request | Assumed | Seen | Verdict', requests),
		table('Documented field | Has a value', fields),
		[
			`- Fields that are not documented: ${undocumented.length}`,
			`- Seconds from \`iat\` to \`exp\` in the token, and \`expires_in\`: ${lifetimesOf(parts.token[0])}`,
			`- Headers about the limit: ${limits.join(', ') || 'none'}`,
		].join('\n'),
	].join('\n\n');
}

/** What is in an answer, in words that say nothing of what it holds. */
function seenIn(answer: Answer, siteId: number): string {
	const { probe, status, json } = answer;
	if (status === 0) return 'no whole answer';
	if (!isAccepted(answer)) return `status ${status}`;
	if (!isObject(json)) return `status ${status} without a JSON object`;
	if (probe.isLogin) return typeof json.access_token === 'string' ? 'a token' : 'no token';
	const [issue] = siteSchema.safeParse(json).error?.issues ?? [];
	// A path has only documented names, and the message nothing of the value.
	if (issue) return `\`${issue.path.join('.')}\` ${issue.message}`;
	if ((json.siteId ?? siteId) !== siteId) return 'another site';
	const parts = ['info', 'units'].filter((part) => (json[part] ?? null) !== null);
	return ['a site', parts.join(' and ')].filter(Boolean).join(' with ');
}

function verdictOn(seen: string, assumed: readonly string[]): string {
	// The service may only be unwell for the moment.
	if (/^no whole answer$|^status (429|5\d\d)$/.test(seen)) return 'not seen';
	return assumed.includes(seen) ? 'holds' : '**differs**';
}

/** The objects that were answered, by what is documented of them. */
function partsOf(answers: readonly Answer[]): Record<Part, Fields[]> {
	const objectsIn = (those: readonly Answer[]) => those.map(({ json }) => json).filter(isObject);
	const accepted = answers.filter(isAccepted);
	const site = objectsIn(accepted.filter(({ probe }) => !probe.isLogin));
	return {
		token: objectsIn(accepted.filter(({ probe }) => probe.isLogin)),
		site,
		info: site.map(({ info }) => info).filter(isObject),
		unit: site.flatMap(({ units }) => units).filter(isObject),
		failure: objectsIn(answers.filter(({ status }) => status >= 400)),
	};
}

const isObject = (value: unknown): value is Fields =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** The lifetimes that a token states, as numbers; the unit of `expires_in` is not documented. */
function lifetimesOf({ access_token: token, expires_in: announced }: Fields = {}): string {
	let seconds: unknown;
	try {
		const { exp, iat } = jwtDecode<{ exp: number; iat: number }>(String(token));
		seconds = exp - iat;
	} catch {
		// It need not be a JWT.
	}
	return [seconds, announced]
		.map((value) => (Number.isFinite(Number(value)) ? Number(value) : 'no number'))
		.join(', ');
}

function table(titles: string, rows: readonly (readonly string[])[]): string {
	const rule = titles.replace(/[^|]+/g, ' --- ').trim();
	const lines = [titles, rule, ...rows.map((cells) => cells.join(' | '))];
	return lines.map((line) => `| ${line} |`).join('\n');
}
