import { Failure } from '../failure';
import { pictured, tested } from './testedVersions.json';

/** The versions that are tested; `N8N_VERSIONS` names others, separated by commas. */
export const VERSIONS = readVersions(process.env.N8N_VERSIONS ?? tested.join());

/** @throws Failure if one of the versions is not three numbers. */
export function readVersions(text: string): string[] {
	const versions = text.split(',').map((version) => version.trim());
	const wrong = versions.find((version) => !/^\d+\.\d+\.\d+$/.test(version));
	if (wrong === undefined) return versions;
	throw new Failure(
		`N8N_VERSIONS must name versions such as ${tested.join()}. It names "${wrong}"`,
	);
}

/** The one that is used if one is enough: the first of them. */
export const [MAIN_VERSION = ''] = VERSIONS;

/** The version that the pictures of the documentation show. */
export const PICTURED_VERSION = pictured;

/**
 * n8n 2's own scheduler polls, each time with what n8n has stored of the workflow. What a trigger remembers when it is
 * switched on is lost unless an execution starts (n8n 2.40).
 */
const SCHEDULER = {
	N8N_SCHEDULER_ENABLED: 'true',
	N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
	N8N_USE_WORKFLOW_PUBLICATION_SERVICE: 'true',
	N8N_SCHEDULER_MATERIALIZATION_INTERVAL: '1',
	N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true',
};

/** An n8n in which the trigger is tested. */
export interface TriggerWorld {
	name: string;
	version: string;
	env?: NodeJS.ProcessEnv;
	/** How many executions without items n8n stores of a workflow that is switched on. */
	withoutItems: number;
}

/** Each version as it is, and the first n8n 2 of them also with its scheduler, which n8n 1 does not have. */
export function triggerWorlds(versions: readonly string[]): TriggerWorld[] {
	const worlds = versions.map((version) => ({
		...{ name: `n8n ${version}`, version, withoutItems: 0 },
	}));
	const version = versions.find((each) => !each.startsWith('1.'));
	if (version === undefined) return worlds;
	const name = `n8n ${version} with its scheduler`;
	return [...worlds, { name, version, env: SCHEDULER, withoutItems: 1 }];
}
