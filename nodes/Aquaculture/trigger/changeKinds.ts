/** What can happen to a site, in the words of the output's `change`. */
export const CHANGE_KINDS = [
	'siteRenamed',
	'licenceChanged',
	'biomassLimitChanged',
	'infoChanged',
	'siteChanged',
	'unitAdded',
	'unitRemoved',
	'unitRenamed',
	'unitMoved',
	'unitChanged',
] as const;

export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** The kinds that concern the info. Whoever watches `infoChanged` watches all of them. */
export const INFO_KINDS: readonly ChangeKind[] = [
	'licenceChanged',
	'biomassLimitChanged',
	'infoChanged',
];

/** The kinds that concern a unit. */
export const UNIT_KINDS: readonly ChangeKind[] = [
	'unitAdded',
	'unitRemoved',
	'unitRenamed',
	'unitMoved',
	'unitChanged',
];

/** The kind of a change of a field of the site; undefined for fields that are compared in another way, or never change. */
export function siteKind(field: string): ChangeKind | undefined {
	if (field === 'siteId' || field === 'info' || field === 'units') return undefined;
	return field === 'siteName' ? 'siteRenamed' : 'siteChanged';
}

/** The kind of a change of a field of the info. */
export function infoKind(field: string): ChangeKind {
	if (field === 'license') return 'licenceChanged';
	return field === 'maxTotalBiomass' ? 'biomassLimitChanged' : 'infoChanged';
}

/** The kind of a change of a field of a unit; undefined for the ID, which never changes. */
export function unitKind(field: string): ChangeKind | undefined {
	if (field === 'unitId') return undefined;
	if (field === 'unitName') return 'unitRenamed';
	return field === 'longitude' || field === 'latitude' ? 'unitMoved' : 'unitChanged';
}
