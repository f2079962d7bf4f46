import { jwtDecode } from 'jwt-decode';
import { isObject, type JsonObject } from '../../nodes/Aquaculture/service/body';
import { siteInfoSchema, siteSchema, unitSchema } from '../../nodes/Aquaculture/service/siteSchema';
import { isAccepted, type Answer, type Contact } from './contact';

/** Which of the documented fields are required is not documented. */
const FIELDS = {
	token: ['access_token', 'expires_in', 'token_type'],
	site: Object.keys(siteSchema.shape),
	info: Object.keys(siteInfoSchema.shape),
	unit: Object.keys(unitSchema.shape),
	failure: ['code', 'message', 'traceId'],
};
type Part = keyof typeof FIELDS;
const PARTS = Object.keys(FIELDS) as Part[];

/** Other names of headers may identify the operator. */
const HEADERS = /^(retry-after|(x-)?rate-?limit(-(limit|remaining|reset|policy))?)$/;

/**
 * Formats a report in Markdown that is safe to publish: it repeats only status codes and lifetimes from the service.
 *
 * @param heading date and versions.
 */
export function formatReport({ answers, end }: Contact, siteId: number, heading: string): string {
	const requests = answers.map((answer, index) => {
		const { title, assumed } = answer;
		const seen = describeResult(answer, siteId);
		return [`${index + 1}. ${title}`, assumed.join(' or '), seen, judge(seen, assumed)];
	});
	const parts = groupByPart(answers);
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
			`- Seconds from \`iat\` to \`exp\` in the token, and \`expires_in\`: ${readLifetimes(parts.token[0])}`,
			`- Headers about the limit: ${limits.join(', ') || 'none'}`,
		].join('\n'),
	].join('\n\n');
}

/** Describes an answer without its data. */
function describeResult(answer: Answer, siteId: number): string {
	const { isLogin, status, json } = answer;
	if (status === 0) return 'no whole answer';
	if (!isAccepted(answer)) return `status ${status}`;
	if (!isObject(json)) return `status ${status} without a JSON object`;
	if (isLogin) return typeof json.access_token === 'string' ? 'a token' : 'no token';
	const [issue] = siteSchema.safeParse(json).error?.issues ?? [];
	// Safe: the path has only documented names, and the message does not repeat the value.
	if (issue) return `\`${issue.path.join('.')}\` ${issue.message}`;
	if ((json.siteId ?? siteId) !== siteId) return 'another site';
	const parts = ['info', 'units'].filter((part) => (json[part] ?? null) !== null);
	return ['a site', parts.join(' and ')].filter(Boolean).join(' with ');
}

function judge(seen: string, assumed: readonly string[]): string {
	// The service may have a temporary problem.
	if (/^no whole answer$|^status (429|5\d\d)$/.test(seen)) return 'not seen';
	return assumed.includes(seen) ? 'holds' : '**differs**';
}

/** Collects the objects of all answers by the documented form that they should have. */
function groupByPart(answers: readonly Answer[]): Record<Part, JsonObject[]> {
	const getObjects = (results: readonly Answer[]) =>
		results.map(({ json }) => json).filter(isObject);
	const accepted = answers.filter(isAccepted);
	const site = getObjects(accepted.filter(({ isLogin }) => !isLogin));
	return {
		token: getObjects(accepted.filter(({ isLogin }) => isLogin)),
		site,
		info: site.map(({ info }) => info).filter(isObject),
		unit: site.flatMap(({ units }) => units).filter(isObject),
		failure: getObjects(answers.filter(({ status }) => status >= 400)),
	};
}

/** Reads the lifetimes that a token states; the unit of `expires_in` is not documented. */
function readLifetimes({ access_token: token, expires_in: announced }: JsonObject = {}): string {
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
