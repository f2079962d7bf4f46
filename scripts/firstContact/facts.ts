import { jwtDecode } from 'jwt-decode';
import { SITE_FIELDS, type ASSUMPTIONS } from './assumptions';
import { isSite, tokenIn, type Answer, type Contact, type Target } from './contact';
import { typeOf } from './redact';

type Fields = Record<string, unknown>;
type Part = keyof typeof SITE_FIELDS;
type Facts = Partial<Record<keyof typeof ASSUMPTIONS, string>>;

const isObject = (value: unknown): value is Fields => typeOf(value) === 'object';
const isAbsent = (value: unknown) => value === undefined || value === null;

/** What is in an answer. Nothing that the service has chosen is repeated but its status. */
export function seenIn(answer: Answer): string {
	const { probe, status, json, failure = '' } = answer;
	if (status === undefined) {
		const cause = /^[A-Z][A-Z0-9_]{2,60}$/.test(failure) ? failure : 'cause unknown';
		return `no whole answer (${cause})`;
	}
	if (!isObject(json)) return `${status}, no JSON object`;
	if (status >= 300) return `${status}`;
	if (probe.isLogin) return `${status}, ${tokenIn(answer) === undefined ? 'no token' : 'a token'}`;
	const parts = ['info', 'units'].filter((part) => !isAbsent(json[part]));
	return `${status}, ${parts.join(' and ') || 'neither part'}`;
}

/** The objects that were answered, by what is documented of them. */
function objectsOf({ answers }: Contact): Array<[Part, Fields[]]> {
	const site = answers.filter(isSite).map(({ json }) => json as Fields);
	const info = site.map((each) => each.info).filter(isObject);
	const unit = site.flatMap(({ units }) => (Array.isArray(units) ? units : [])).filter(isObject);
	return Object.entries({ site, info, unit }) as Array<[Part, Fields[]]>;
}

/** The documented fields of the sites that were answered, such as `info.code`, and the types in which they were sent. */
export function fieldsOf(contact: Contact) {
	return objectsOf(contact).flatMap(([part, objects]) =>
		Object.entries(SITE_FIELDS[part]).map(([field, documented]) => ({
			name: part === 'site' ? field : `${part}.${field}`,
			documented,
			types: [...new Set(objects.map((object) => typeOf(object[field])))],
		})),
	);
}

/** How many fields of the sites that were answered are not documented. */
export function countUndocumented(contact: Contact): number {
	const names = objectsOf(contact).flatMap(([part, objects]) =>
		objects
			.flatMap((object) => Object.keys(object))
			.filter((name) => !Object.hasOwn(SITE_FIELDS[part], name))
			.map((name) => `${part}.${name}`),
	);
	return new Set(names).size;
}

/** What all answers together show; a fact that none shows is left out. */
export function factsOf(contact: Contact, { siteId }: Target): Facts {
	const facts: Facts = tokenFacts(contact);
	const sites = contact.answers.filter(isSite).map(({ json }) => json as Fields);
	if (sites.length > 0) {
		const isAnother = sites.some((site) => !isAbsent(site.siteId) && site.siteId !== siteId);
		facts['`siteId` of the answer'] = isAnother ? 'Another value' : 'The number, missing or null';
	}
	const failed = contact.answers.filter(({ status = 0 }) => status >= 400);
	if (failed.length > 0) {
		const odd = failed.filter(({ json }) => !isPublishedFailure(json));
		const other = `Another body in ${odd.length} of ${failed.length} answers`;
		facts['Body of an unsuccessful answer'] = odd.length === 0 ? 'Such an object' : other;
	}
	return facts;
}

function isPublishedFailure(json: unknown): boolean {
	if (!isObject(json)) return false;
	const { code, message, traceId } = json;
	return [code, message, traceId].every((text) => isAbsent(text) || typeof text === 'string');
}

function tokenFacts({ answers }: Contact): Facts {
	const login = answers.find((answer) => tokenIn(answer) !== undefined);
	if (!login) return {};
	const token = tokenIn(login) ?? '';
	const claims = claimsOf(token);
	const characters = /^[A-Za-z0-9\-._~+/]+=*$/.test(token) ? 'those' : 'other';
	const facts: Facts = {
		'Form of the token': `${claims ? 'A JWT' : 'Not a JWT'}, ${characters} characters`,
		'Lifetime in the token': 'It does not have both',
	};
	const lifetime = Number(claims?.exp) - Number(claims?.iat);
	if (Number.isNaN(lifetime)) return facts;
	facts['Lifetime in the token'] = `${lifetime} seconds`;
	const { expires_in: expiresIn } = login.json as Fields;
	if (!typeOf(expiresIn).includes('number')) return facts;
	// Services count from slightly different moments.
	const unit = Object.entries({ seconds: 1, milliseconds: 0.001, minutes: 60 }).find(
		([, size]) => Math.abs((Number(expiresIn) * size) / lifetime - 1) < 0.05,
	);
	facts['Unit of `expires_in`'] = `${typeOf(expiresIn)}: ${unit?.[0] ?? 'no known unit'}`;
	return facts;
}

function claimsOf(token: string): Fields | undefined {
	try {
		return jwtDecode<Fields>(token);
	} catch {
		return undefined;
	}
}
