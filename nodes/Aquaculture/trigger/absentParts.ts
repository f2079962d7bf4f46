import type { IPollFunctions } from 'n8n-workflow';
import { absentParts } from '../../../api/document';
import { siteDocument } from '../../../api/site';
import { MESSAGES } from '../../../shared/messages';
import type { SeenSite } from './changeItem';
import { watchedIncludes, type Watch } from './watch';

/**
 * Writes to n8n's log, once for each site, that the service does not send what is watched.
 *
 * @param logged the parts of sites of which the log says so; it is updated.
 */
export function logAbsentParts(
	context: IPollFunctions,
	seen: ReadonlyMap<number, SeenSite>,
	watch: Watch,
	logged: Set<string>,
): void {
	const { parts = [] } = siteDocument(0, watchedIncludes(watch));
	for (const part of parts) {
		let absent = 0;
		let isNews = false;
		for (const { siteId, site } of seen.values()) {
			const key = `${siteId} ${part}`;
			if (absentParts({ parts: [part] }, site).length === 0) {
				logged.delete(key);
				continue;
			}
			absent += 1;
			isNews ||= !logged.has(key);
			logged.add(key);
		}
		if (!isNews) continue;
		const message = MESSAGES.log.absent(part, absent, seen.size);
		context.logger.warn(`${context.getNode().name}: ${message}`, {
			workflowId: context.getWorkflow().id,
		});
	}
}
