import type { IDataObject } from 'n8n-workflow';

/** n8n loads what a trigger remembers shortly before a poll. After this time, what is older is so for another reason. */
const LOADED_WITHIN_MS = 10_000;

/**
 * Tells apart the states of a trigger's memory that this process has had stored, by a number that is stored with them.
 *
 * n8n 2's scheduler may load the memory for a poll before it has stored that of the last one, for example when several
 * polls are due after a restart. Such a poll would tell of the same changes again (n8n 2.40).
 */
export class Revisions {
	private readonly latest = new Map<string, { revision: number; madeAt: number }>();

	/** @param clock gives milliseconds; nobody sets it. */
	constructor(private readonly clock: () => number = () => performance.now()) {}

	/** Whether the last poll has told of what a comparison with this memory would tell. */
	isOutdated(trigger: string, staticData: IDataObject): boolean {
		const latest = this.latest.get(trigger);
		return (
			latest !== undefined &&
			revisionOf(staticData) < latest.revision &&
			this.clock() - latest.madeAt < LOADED_WITHIN_MS
		);
	}

	/** Whatever is stored counts as the latest again. */
	forget(trigger: string): void {
		this.latest.delete(trigger);
	}

	/** Numbers a memory that n8n is about to store. */
	advance(trigger: string, staticData: IDataObject): void {
		const revision = revisionOf(staticData) + 1;
		staticData.revision = revision;
		this.latest.set(trigger, { revision, madeAt: this.clock() });
	}
}

function revisionOf({ revision }: IDataObject): number {
	return Number.isSafeInteger(revision) ? (revision as number) : 0;
}
