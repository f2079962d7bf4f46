/** The documented values of `$include` (docs/service-interface.md, "GET {base_url}/meta/sites/{site_id}"), in wire order. */
export const SITE_INCLUDES = ['units', 'info'] as const;

/** The values of `$include` for a site, each once: the documented ones in wire order, then any others. */
export function includesOf({
	others = [],
	...wanted
}: Record<(typeof SITE_INCLUDES)[number], boolean> & { others?: readonly string[] }): string[] {
	return [...new Set([...SITE_INCLUDES.filter((include) => wanted[include]), ...others])];
}
