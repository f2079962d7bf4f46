/** A poll that is under way. */
export interface Turn {
	/** Whether no other poll has been allowed to begin since. */
	isCurrent(): boolean;
	end(): void;
}

/** After this time a poll that has not ended is not waited for any more: n8n gives up on it sooner. */
const LONGEST_MS = 60_000;

/** Lets one poll of a trigger happen at a time in this process. n8n begins a poll whether the last one is over or not. */
export class Turns {
	private readonly underWay = new Map<string, { begunAt: number }>();

	/** @param clock gives milliseconds; nobody sets it. */
	constructor(private readonly clock: () => number = () => performance.now()) {}

	/**
	 * @param takesOver whether a poll that is under way has nothing to say any more.
	 * @returns undefined where another poll of the trigger is under way.
	 */
	begin(trigger: string, takesOver: boolean): Turn | undefined {
		const now = this.clock();
		const other = this.underWay.get(trigger);
		if (other && !takesOver && now - other.begunAt < LONGEST_MS) return undefined;
		const turn = { begunAt: now };
		this.underWay.set(trigger, turn);
		const isCurrent = () => this.underWay.get(trigger) === turn;
		return {
			isCurrent,
			end: () => {
				if (isCurrent()) this.underWay.delete(trigger);
			},
		};
	}
}
