import { findingsOf } from './assumptions';
import { MAX_REQUESTS, type Contact, type End } from './contact';
import { documentedTypes, FAILURE, SITE, TOKEN } from './fields';
import type { Seen } from './observe';
import { PROBE_NAMES, probeOf } from './probes';

/** Under which circumstances a contact was made. */
export interface Circumstances {
	/** `2026-03-02`. */
	date: string;
	/** Of package and Node.js. */
	versions: Record<'package' | 'node', string>;
	tokenVersion: string;
	dataVersion: string;
}

/** Why no further request was sent, as a sentence. */
export const ENDS: Record<End, string> = {
	complete: 'All requests were sent.',
	limited:
		'It ended early: the service refused a request because there were too many (status 429). Wait a few minutes before anything else uses the account.',
	loginRefused: 'It ended early: the service refused the login.',
	noToken: 'It ended early: the login returned no token, without which nothing else can be asked.',
	unreadable:
		'It ended early: the service did not let this account read the site, or does not know it.',
	interrupted: 'It ended early: it was interrupted.',
};

/** What was seen, in Markdown. It is made of what {@link Seen} holds, so that it may be shown in public. */
export function reportOf({ seen, end }: Contact, circumstances: Circumstances): string {
	const { date, versions, tokenVersion, dataVersion } = circumstances;
	return [
		'## First contact with the service',
		`Made on ${date} with version ${versions.package} on Node.js ${versions.node}. Versions sent: ${tokenVersion} with a login, ${dataVersion} with the rest.`,
		`${ENDS[end]} Requests: ${seen.length} of ${PROBE_NAMES.length} (never more than ${MAX_REQUESTS}).`,
		'The report contains no password, token, address, name of the version header or data of a site, and no name of a field that is not documented.',
		...(seen.length === 0 ? [] : [assumptions(seen), requests(seen), ...fieldTables(seen)]),
		...headerTable(seen),
	].join('\n\n');
}

function assumptions(seen: readonly Seen[]): string {
	return section(
		'What is assumed',
		['Left open', 'Assumed', 'Seen', 'Verdict'],
		findingsOf(seen).map(({ open, assumed, seen: words, verdict }) => [
			open,
			assumed,
			words,
			verdict === 'differs' ? '**differs**' : verdict,
		]),
	);
}

function requests(seen: readonly Seen[]): string {
	return section(
		'Requests',
		['Number', 'Request', 'Status', 'Milliseconds', 'Body', 'Remarks'],
		seen.map(({ name, status, ms, content, failure, redirect }, index) => [
			String(index + 1),
			probeOf(name).title,
			status === undefined ? 'none' : String(status),
			String(ms),
			content,
			[failure, redirect && `redirect to ${redirect}, not followed`].filter(Boolean).join('; '),
		]),
	);
}

function fieldTables(seen: readonly Seen[]): string[] {
	const isSuccess = ({ status = 0 }: Seen) => status >= 200 && status < 300;
	const numbered = seen.map((each, index) => ({ ...each, number: index + 1 }));
	const objects = numbered.filter(({ isObject }) => isObject);
	const logins = objects.filter((each) => isSuccess(each) && probeOf(each.name).isLogin);
	const sites = objects.filter((each) => isSuccess(each) && !probeOf(each.name).isLogin);
	const failures = objects.filter(({ status = 0 }) => status >= 400);
	return [
		...fieldTable('Fields of a login', documentedTypes(TOKEN), logins, tokenRows(logins)),
		...fieldTable('Fields of a site', documentedTypes(SITE), sites),
		...fieldTable('Fields of an unsuccessful answer', documentedTypes(FAILURE), failures),
	];
}

type Numbered = Seen & { number: number };

/** A row for each field and a column for each answer; answers that are alike share one. */
function fieldTable(
	title: string,
	documented: Record<string, string>,
	answers: readonly Numbered[],
	furtherRows: readonly string[][] = [],
): string[] {
	if (answers.length === 0) return [];
	const places = [...new Set(answers.flatMap(({ fields }) => Object.keys(fields.others)))];
	const rows = [
		...Object.entries(documented).map(([path, type]) => [
			`\`${path}\``,
			type,
			...answers.map(({ fields }) => fields.types[path]?.join(' or ') ?? ''),
		]),
		...places.map((place) => [
			place === '' ? 'other fields' : `other fields of \`${place}\``,
			'',
			...answers.map(({ fields }) => String(fields.others[place] ?? '')),
		]),
		...furtherRows,
	];
	// By the cells of their columns.
	const alike = new Map<string, { index: number; numbers: number[] }>();
	for (const [index, { number }] of answers.entries()) {
		const cells = JSON.stringify(rows.map((row) => row[index + 2]));
		const column = alike.get(cells) ?? { index, numbers: [] };
		column.numbers.push(number);
		alike.set(cells, column);
	}
	const columns = [...alike.values()];
	return [
		section(
			title,
			['Field', 'Documented', ...columns.map(({ numbers }) => `Request ${numbers.join(', ')}`)],
			rows.map((row) => [...row.slice(0, 2), ...columns.map(({ index }) => row[index + 2] ?? '')]),
		),
	];
}

/** What is seen of the tokens, in the columns of the logins. */
function tokenRows(logins: readonly Seen[]): string[][] {
	const row = (title: string, cell: (token: NonNullable<Seen['token']>) => string) => [
		title,
		'',
		...logins.map(({ token }) => (token ? cell(token) : '')),
	];
	return [
		row('form of the token', ({ isJwt }) => (isJwt ? 'a JWT' : 'not a JWT')),
		row('times in the token', ({ claims }) => claims.map((name) => `\`${name}\``).join(', ')),
		row('`exp` less `iat`', ({ lifetimeSeconds }) =>
			lifetimeSeconds === undefined ? '' : `${lifetimeSeconds} seconds`,
		),
		row('size of `expires_in`', ({ expiresIn }) => expiresIn),
		row('`token_type` is Bearer', ({ isBearerType }) => yesOrNo(isBearerType)),
		row('same token as before', ({ isRepeated }) => yesOrNo(isRepeated)),
	];
}

function yesOrNo(value: boolean): string {
	return value ? 'yes' : 'no';
}

/** Each form in which a header was seen, with the numbers of the requests. */
function headerTable(seen: readonly Seen[]): string[] {
	const forms = new Map<string, number[]>();
	for (const [index, { headers }] of seen.entries()) {
		for (const [name, form] of Object.entries(headers)) {
			const key = JSON.stringify([name, form]);
			forms.set(key, [...(forms.get(key) ?? []), index + 1]);
		}
	}
	if (forms.size === 0) return [];
	const rows = [...forms].map(([key, numbers]) => {
		const [name, form] = JSON.parse(key) as [string, string];
		return [`\`${name}\``, form, numbers.length === seen.length ? 'all' : numbers.join(', ')];
	});
	const sorted = rows.sort(([one = ''], [other = '']) => one.localeCompare(other));
	return [section('Headers', ['Header', 'Value', 'Requests'], sorted)];
}

function section(
	title: string,
	titles: readonly string[],
	rows: readonly (readonly string[])[],
): string {
	const lines = [titles, titles.map(() => '---'), ...rows];
	return `### ${title}\n\n${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}`;
}
