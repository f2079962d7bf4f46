/** What an object holds by docs/service-interface.md: a type, the fields of an object, or those of each object in a list. */
interface Shape {
	readonly [field: string]: string | Shape | readonly [Shape];
}

/** docs/service-interface.md, "Token". */
export const TOKEN: Shape = {
	access_token: 'text',
	expires_in: 'number in a text',
	token_type: 'text',
};

/** docs/service-interface.md, "Site", "Site info" and "Unit". */
export const SITE: Shape = {
	siteId: 'whole number',
	siteName: 'text',
	info: {
		longitude: 'number',
		latitude: 'number',
		type: 'text',
		code: 'text',
		license: 'text',
		maxTotalBiomass: 'number',
		timezone: 'text',
	},
	units: [{ unitId: 'whole number', unitName: 'text', longitude: 'number', latitude: 'number' }],
};

/** docs/service-interface.md, "Errors, body". */
export const FAILURE: Shape = {
	code: 'text',
	message: 'text',
	traceId: 'text',
	details: 'object',
};

/** What is seen of the fields of a body, without names and values that the service chose. */
export interface FieldsSeen {
	/** The types of each documented field, by its path, such as `units[].unitId`. */
	types: Record<string, string[]>;
	/** How many further names there are in each object, by its path; that of the body is empty. */
	others: Record<string, number>;
}

/** @param objects all those at this path. */
export function fieldsOf(objects: readonly object[], shape: Shape, path = ''): FieldsSeen {
	const names = new Set(objects.flatMap((object) => Object.keys(object)));
	const undocumented = [...names].filter((name) => !Object.hasOwn(shape, name));
	const seen: FieldsSeen = { types: {}, others: { [path]: undocumented.length } };
	for (const [name, form] of Object.entries(shape)) {
		const fieldPath = path === '' ? name : `${path}.${name}`;
		const present = objects.filter((object) => Object.hasOwn(object, name));
		const values = present.map((object) => (object as Record<string, unknown>)[name]);
		const types = [...values.map(typeOf), ...(present.length < objects.length ? ['missing'] : [])];
		seen.types[fieldPath] = [...new Set(types)];
		if (typeof form === 'string') continue;

		const inside = (isList(form) ? values.flat() : values).filter(isObject);
		if (inside.length === 0) continue;
		const inner = isList(form)
			? fieldsOf(inside, form[0], `${fieldPath}[]`)
			: fieldsOf(inside, form, fieldPath);
		Object.assign(seen.types, inner.types);
		Object.assign(seen.others, inner.others);
	}
	return seen;
}

/** The documented type of each field, by its path. */
export function documentedTypes(shape: Shape, path = ''): Record<string, string> {
	const types: Record<string, string> = {};
	for (const [name, form] of Object.entries(shape)) {
		const fieldPath = path === '' ? name : `${path}.${name}`;
		if (typeof form === 'string') types[fieldPath] = form;
		else if (isList(form)) {
			types[fieldPath] = 'list';
			Object.assign(types, documentedTypes(form[0], `${fieldPath}[]`));
		} else {
			types[fieldPath] = 'object';
			Object.assign(types, documentedTypes(form, fieldPath));
		}
	}
	return types;
}

/** The types that count as a documented one, beside itself. */
const ALSO: Record<string, readonly string[]> = {
	number: ['whole number', 'whole number beyond 2^53'],
	text: ['empty text', 'number in a text'],
	list: ['empty list'],
};

/** Those of the types that are not the documented one. Whether a field is required is not documented. */
export function otherTypes(types: readonly string[], documented: string): string[] {
	const allowed = [documented, ...(ALSO[documented] ?? []), 'missing', 'null'];
	return types.filter((type) => !allowed.includes(type));
}

/** What a value is, in words that say nothing of what it holds. */
export function typeOf(value: unknown): string {
	if (value === null) return 'null';
	if (Array.isArray(value)) return value.length === 0 ? 'empty list' : 'list';
	if (typeof value === 'number') {
		if (!Number.isInteger(value)) return 'number';
		return Number.isSafeInteger(value) ? 'whole number' : 'whole number beyond 2^53';
	}
	if (typeof value === 'string') {
		if (value.trim() === '') return 'empty text';
		return Number.isFinite(Number(value)) ? 'number in a text' : 'text';
	}
	return typeof value === 'boolean' ? 'true or false' : 'object';
}

export function isObject(value: unknown): value is object {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isList(form: Shape | readonly [Shape]): form is readonly [Shape] {
	return Array.isArray(form);
}
