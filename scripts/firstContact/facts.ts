import { jwtDecode } from 'jwt-decode';
import { parseUrl } from '../../http/url';
import { probeOf, tokenIn, type Answer, type Contact, type Target } from './contact';
import { typeOf } from './redact';

/** The documented fields of a site (docs/service-interface.md), by their paths. */
export const SITE_FIELDS: Readonly<Record<string, string>> = {
	siteId: 'whole number',
	siteName: 'text',
	info: 'object',
	'info.longitude': 'number',
	'info.latitude': 'number',
	'info.type': 'text',
	'info.code': 'text',
	'info.license': 'text',
	'info.maxTotalBiomass': 'number',
	'info.timezone': 'text',
	units: 'list',
	'units[].unitId': 'whole number',
	'units[].unitName': 'text',
	'units[].longitude': 'number',
	'units[].latitude': 'number',
};

/** The types that count as a documented one, beside itself. Whether a field is required is not documented. */
const ALSO: Record<string, readonly string[]> = {
	number: ['whole number', 'whole number beyond 2^53'],
	text: ['empty text', 'number in a text'],
	list: ['empty list'],
};

type Fields = Record<string, unknown>;

const isObject = (value: unknown): value is Fields => typeOf(value) === 'object';
const isSuccess = ({ status = 0 }: Answer) => status >= 200 && status < 300;
const isAbsent = (type: string) => type === 'missing' || type === 'null';
const isOther = (type: string, documented: string) =>
	!isAbsent(type) && type !== documented && !ALSO[documented]?.includes(type);
const unique = <T>(values: readonly T[]) => [...new Set(values)];
const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');

/** The answers with a site. */
export function sitesIn({ answers }: Contact): Fields[] {
	return answers
		.filter((answer) => isSuccess(answer) && !probeOf(answer.probe).isLogin)
		.flatMap(({ body }) => (isObject(body?.json) ? [body.json] : []));
}

/** The types in which a field of sites was sent, by its path; `missing` if an object around it lacks the field. */
export function typesOf(sites: readonly Fields[], path: string): string[] {
	return unique(objectsAt(sites, path).map(typeOf));
}

function objectsAt(values: readonly unknown[], path: string): unknown[] {
	return path.split('.').reduce<unknown[]>(
		(found, word) => {
			const name = word.replace('[]', '');
			const inside = found.filter(isObject).map((object) => object[name]);
			return word === name ? inside : inside.flat();
		},
		[...values],
	);
}

/** How many names of fields are not documented, at most in one object at this path. */
function undocumented(sites: readonly Fields[], path: string): number {
	const objects = path === '' ? sites : objectsAt(sites, path).filter(isObject);
	const counts = objects.map(
		(object) =>
			Object.keys(object).filter((name) => !((path && `${path}.`) + name in SITE_FIELDS)).length,
	);
	return Math.max(0, ...counts);
}

/**
 * What was seen, by the names that the table of assumptions has. The words are this program's and the documentation's:
 * nothing that the service has chosen is repeated but numbers.
 */
export function factsOf(contact: Contact, { connection, siteId }: Target): Record<string, string> {
	const answered = contact.answers.filter(({ status }) => status !== undefined && status !== 429);
	const facts: Record<string, string> = {};
	for (const answer of answered) {
		const { probe, status = 0, body } = answer;
		facts[`${probe}.status`] = `Status ${status}`;
		// The service may only be unwell for the moment.
		if (probeOf(probe).isLogin || status >= 500) continue;
		const { json } = body ?? {};
		const parts = isObject(json) && isSuccess(answer) ? partsOf(json) : `Status ${status}, no site`;
		facts[`${probe}.parts`] = parts;
	}
	return {
		...facts,
		...tokenFacts(contact),
		...siteFacts(sitesIn(contact), siteId),
		...answerFacts(answered, connection.origin),
	};
}

function partsOf(site: Fields): string {
	const parts = ['info', 'units'].filter((part) => !isAbsent(typeOf(site[part])));
	return parts.join(' and ') || 'neither';
}

function tokenFacts({ answers }: Contact): Record<string, string> {
	const login = answers.find((answer) => tokenIn(answer) !== undefined);
	if (!login) return {};
	const token = tokenIn(login) ?? '';
	const claims = claimsOf(token);
	const isBearer = /^[A-Za-z0-9\-._~+/]+=*$/.test(token);
	const lifetime = Number(claims?.exp) - Number(claims?.iat);
	const { expires_in: expiresIn } = login.body?.json as Fields;
	// Services count from slightly different moments.
	const units = Object.entries({ seconds: 1, milliseconds: 0.001, minutes: 60 });
	const unit = units.find(([, size]) => Math.abs((Number(expiresIn) * size) / lifetime - 1) < 0.05);
	const isComparable = lifetime > 0 && typeOf(expiresIn).includes('number');
	return {
		'token.form': `${claims ? 'A JWT' : 'Not a JWT'}, ${isBearer ? 'those' : 'other'} characters`,
		'token.lifetime': Number.isNaN(lifetime) ? 'It does not have both' : `${lifetime} seconds`,
		...(isComparable && { 'token.unit': `${typeOf(expiresIn)}: ${unit?.[0] ?? 'no known unit'}` }),
	};
}

function claimsOf(token: string): Fields | undefined {
	try {
		return jwtDecode<Fields | null>(token) ?? undefined;
	} catch {
		return undefined;
	}
}

function siteFacts(sites: readonly Fields[], siteId: number): Record<string, string> {
	if (sites.length === 0) return {};
	const paths = Object.entries(SITE_FIELDS);
	const pathsThat = (isMeant: (type: string, documented: string) => boolean) =>
		paths
			.filter(([path, documented]) =>
				typesOf(sites, path).some((type) => isMeant(type, documented)),
			)
			.map(([path]) => path);
	const others = pathsThat(isOther);
	const ids = unique(
		sites.map((site) =>
			site.siteId === siteId
				? 'the number'
				: isAbsent(typeOf(site.siteId))
					? 'nothing'
					: 'another value',
		),
	);
	const absent = pathsThat(isAbsent).filter((path) => path !== 'info' && path !== 'units');
	return {
		'site.id': ids.join(' and '),
		'site.types': others.length === 0 ? 'As documented' : `Others: ${code(others)}`,
		'site.absent': code(absent) || 'All are there',
		'site.undocumented': `${undocumented(sites, '')} of the site, ${undocumented(sites, 'info')} of \`info\`, ${undocumented(sites, 'units[]')} of a unit`,
	};
}

function answerFacts(answers: readonly Answer[], origin: string): Record<string, string> {
	if (answers.length === 0) return {};
	const failures = answers.filter(({ status = 0 }) => status >= 400);
	const isPublished = ({ body }: Answer) =>
		isObject(body?.json) &&
		[body.json.code, body.json.message, body.json.traceId].every(
			(text) => !isOther(typeOf(text), 'text'),
		);
	const odd = failures.filter((failure) => !isPublished(failure));
	const good = answers.filter(isSuccess);
	const redirects = answers
		.filter(({ status = 0 }) => status >= 300 && status < 400)
		.map(({ headers }) => parseUrl(String(headers.location), origin)?.origin === origin);
	return {
		...(failures.length > 0 && {
			'failure.body':
				odd.length === 0
					? 'Such an object'
					: `Another body in ${odd.length} of ${failures.length} answers`,
		}),
		...(good.length > 0 && {
			'success.body': good.every(({ body }) => isObject(body?.json)) ? 'Always' : 'Not always',
		}),
		redirects:
			redirects.length === 0
				? 'None'
				: `${redirects.length}, to ${redirects.every(Boolean) ? 'the same host' : 'another host'}`,
	};
}
