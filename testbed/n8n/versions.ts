import { UserFacingError } from '../userFacingError';
import { pictured, tested } from './testedVersions.json';

/** `N8N_VERSIONS` overrides the tested versions. */
export const VERSIONS = readVersions(process.env.N8N_VERSIONS ?? tested.join());

/** @throws UserFacingError unless each version is three numbers. */
export function readVersions(text: string): string[] {
	const versions = text.split(',').map((version) => version.trim());
	const wrong = versions.find((version) => !/^\d+\.\d+\.\d+$/.test(version));
	if (wrong === undefined) return versions;
	throw new UserFacingError(
		`N8N_VERSIONS must name versions such as ${tested.join()}. It names "${wrong}"`,
	);
}

declare global {
	/** Set by jest.n8n.config.js for each project. */
	var N8N_VERSION: string | undefined;
	var N8N_SCHEDULER: boolean | undefined;
}

/** The version of the jest project, or else the first one. */
export const VERSION = globalThis.N8N_VERSION ?? VERSIONS[0] ?? '';

export const IS_N8N_1 = VERSION.startsWith('1.');

/** The version that the pictures of the documentation show. */
export const PICTURED_VERSION = pictured;
