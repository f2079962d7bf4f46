/** After this time a mutant that no test has noticed counts as survived. */
const PATIENCE_MS = 15_000;

/** A run of jest for one mutant, or for none at first. All of them run in one process. */
const run = {
	startedAt: 0,
	hasFailed: false,

	get hasMutant() {
		return process.env.__STRYKER_ACTIVE_MUTANT__ !== undefined;
	},

	start() {
		run.startedAt = Date.now();
		run.hasFailed = false;
	},

	/** Whether the mutant's fate is known, so that nothing more needs to run. */
	isDecided() {
		return run.hasMutant && (run.hasFailed || Date.now() - run.startedAt > PATIENCE_MS);
	},
};

module.exports = run;
