import { UserFacingError } from '../userFacingError';
import { pictured, tested } from './testedVersions.json';

/** The versions that are tested; `N8N_VERSIONS` names others, separated by commas. */
export const VERSIONS = readVersions(process.env.N8N_VERSIONS ?? tested.join());

/** @throws UserFacingError if one of the versions is not three numbers. */
export function readVersions(text: string): string[] {
	const versions = text.split(',').map((version) => version.trim());
	const wrong = versions.find((version) => !/^\d+\.\d+\.\d+$/.test(version));
	if (wrong === undefined) return versions;
	throw new UserFacingError(
		`N8N_VERSIONS must name versions such as ${tested.join()}. It names "${wrong}"`,
	);
}

declare global {
	/** Set by jest.n8n.config.js: the n8n that a project tests, and whether with n8n's own scheduler. */
	var N8N_VERSION: string | undefined;
	var N8N_SCHEDULER: boolean | undefined;
}

/** The version that is run: that of the project of jest, or else the first of them. */
export const VERSION = globalThis.N8N_VERSION ?? VERSIONS[0] ?? '';

/** n8n 1 does some things in other ways. */
export const IS_N8N_1 = VERSION.startsWith('1.');

/** The version that the pictures of the documentation show. */
export const PICTURED_VERSION = pictured;
