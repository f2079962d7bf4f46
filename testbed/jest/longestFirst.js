const path = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * The files that take minutes, the longest first; those that only wait for a limit are not left to the end, so that they
 * run beside others that need the processor. jest knows by itself only how large a file is.
 */
const LONGEST = ['limit', 'pictures', 'processes', 'examples', 'trigger', 'browser', 'foreignText'];

/** Starts the tests in n8n that take longest first, so that none of them is left for the end. */
module.exports = class LongestFirst extends Sequencer {
	sort(tests) {
		const rankOf = (test) => {
			const rank = LONGEST.indexOf(path.basename(test.path, '.test.ts'));
			return rank === -1 ? LONGEST.length : rank;
		};
		return [...tests].sort((one, other) => rankOf(one) - rankOf(other));
	}
};
