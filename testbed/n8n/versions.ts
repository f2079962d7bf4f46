import { tested } from './testedVersions.json';

/** `N8N_VERSIONS` overrides the tested versions, such as `1.123.81,2.40.7`. */
export const VERSIONS = process.env.N8N_VERSIONS?.split(',') ?? tested;

declare global {
	/** Set by jest.n8n.config.js for each project. */
	var N8N_VERSION: string | undefined;
	var N8N_SCHEDULER: boolean | undefined;
}

/** The version of the jest project, or else the first one. */
export const VERSION = globalThis.N8N_VERSION ?? VERSIONS[0] ?? '';

export const IS_N8N_1 = VERSION.startsWith('1.');
