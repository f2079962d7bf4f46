const path = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

/** The files that take minutes, the longest first. jest knows by itself only how large a file is. */
const LONGEST = [
	'processes',
	'pictures',
	'examples',
	'trigger',
	'browser',
	'limit',
	'triggerLimit',
	'foreignText',
];

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
