import type { IPollFunctions } from 'n8n-workflow';
import { MINUTE_MS } from '../../../texts/duration';

/** Why n8n polls. */
type PollKind =
	/** To activate the workflow. n8n always stores the memory afterwards. An exception prevents the activation. */
	| 'activation'
	/** The workflow is active. The memory is that of the last poll, whether it was stored or not. */
	| 'regular'
	/** The workflow is active, and n8n 2's scheduler polls with the memory as it was stored last (n8n 2.40). */
	| 'scheduled';

/** A poll that may go on. */
export interface CurrentPoll {
	kind: PollKind;
	/** Aborted once another poll has taken over: this one must send, report and store nothing more. */
	signal: AbortSignal;
	end(): void;
}

/** A poll that is still running this long after its end, in milliseconds, hangs in n8n and blocks no other. */
const LONGEST_DELAY_MS = MINUTE_MS / 2;

/**
 * A memory with an older revision is stale only for so long after a newer one was given to n8n, in milliseconds: n8n loads it
 * shortly before the poll. Later, the older one is what n8n has stored, such as that of a backup.
 */
const LOADED_WITHIN_MS = 10_000;

/**
 * Lets the polls of one trigger happen one at a time, each with the newest memory.
 *
 * n8n begins a poll whether the last one is over or not. Its scheduler may load the memory for a poll before that of the
 * last one is stored, for example when several are due after a restart, and such a poll would report the same changes
 * again (n8n 2.40). So the memory holds a revision, which is raised each time n8n is to store it.
 */
export class PollGuard {
	private running: { controller: AbortController; endsAt: number } | undefined;

	private stored: { revision: number; at: number } | undefined;

	/** @param clock gives milliseconds, whatever the time of day is set to. */
	constructor(private readonly clock: () => number = () => performance.now()) {}

	/**
	 * An activation ends a poll that is under way, since that poll may have begun before an edit of the workflow: n8n does not
	 * tell a poll that its workflow was switched off (n8n 1.123 and 2.40). It starts from the stored memory, whatever its
	 * revision.
	 *
	 * @param revision that of the memory with which n8n polls.
	 * @param allowedMs how long the poll may take, in milliseconds.
	 * @returns undefined if another poll is under way, or the memory is outdated.
	 */
	begin(context: IPollFunctions, revision: number, allowedMs: number): CurrentPoll | undefined {
		const kind = kindOf(context);
		if (kind === 'activation') this.stored = undefined;
		else if (this.isBusy || this.isOutdated(revision)) return undefined;

		this.running?.controller.abort();
		const controller = new AbortController();
		const poll = { controller, endsAt: this.clock() + allowedMs + LONGEST_DELAY_MS };
		this.running = poll;
		return {
			kind,
			signal: controller.signal,
			end: () => {
				if (this.running === poll) this.running = undefined;
			},
		};
	}

	/** The revision of a memory that n8n is about to store. */
	nextRevision(revision: number): number {
		this.stored = { revision: revision + 1, at: this.clock() };
		return this.stored.revision;
	}

	/** Whether a poll is under way. */
	get isBusy(): boolean {
		return this.running !== undefined && this.clock() < this.running.endsAt;
	}

	private isOutdated(revision: number): boolean {
		const { stored } = this;
		return (
			stored !== undefined &&
			revision < stored.revision &&
			this.clock() - stored.at < LOADED_WITHIN_MS
		);
	}
}

/** The contexts that have polled: n8n makes one when it activates a workflow, and uses it for all later polls (n8n 2.40). */
const contexts = new WeakSet<IPollFunctions>();

/** How long n8n waits for a poll that its scheduler has not begun, in milliseconds (n8n 2.40). */
const UNLIMITED_MS = 5 * MINUTE_MS;

/**
 * n8n's scheduler makes a context for each poll, as an activation does. Its activation mode is always "update", which is
 * also that of an edit; nothing but the time that n8n allows tells these two apart (n8n 2.40).
 */
function kindOf(context: IPollFunctions): PollKind {
	const isLimited = (context.getPollBudgetMs?.() ?? UNLIMITED_MS) !== UNLIMITED_MS;
	if (isLimited && context.getActivationMode() === 'update') return 'scheduled';
	if (contexts.has(context)) return 'regular';
	contexts.add(context);
	return 'activation';
}
