import { MESSAGES } from '../../../shared/messages';
import type { PollFailure } from './failureReport';
import type { Settings } from './settings';

/**
 * The failures of a poll that are reported. Sites that do not exist may be ignored, but a trigger none of whose sites
 * exists would wait for ever: that is one failure, whatever the option says.
 *
 * @param missing the watched sites that did not exist when they were last asked for; it is updated. A poll may ask for
 *   some of them only.
 */
export function reportable(
	failures: readonly PollFailure[],
	seen: ReadonlyMap<number, unknown>,
	{ siteIds, limits }: Pick<Settings, 'siteIds'> & { limits: { ignoreMissing: boolean } },
	missing: Set<unknown>,
): PollFailure[] {
	for (const siteId of seen.keys()) missing.delete(siteId);
	const unknown = failures.filter(({ failure }) => failure.unknown);
	for (const { subject } of unknown) missing.add(subject);

	const others = failures.filter(({ failure }) => !failure.unknown);
	if (siteIds.every((siteId) => missing.has(siteId))) {
		const failure = { ...unknown[0]?.failure, ...MESSAGES.trigger.noneKnown(siteIds) };
		return [{ subject: 'sites', failure }, ...others];
	}
	return limits.ignoreMissing ? others : [...failures];
}
