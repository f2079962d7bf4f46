const path = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

const TESTS = path.resolve(__dirname, '../../test');

/** Files that take minutes, the longest first: none is left for the end, and those that wait for a limit run beside others. */
const FIRST = [
	'engine/triggerTimes',
	'n8n/limit',
	'n8n/pictures',
	'n8n/tokens',
	'n8n/examples',
	'n8n/trigger',
	'n8n/browser',
];

/**
 * In Node.js 20, n8n's engine makes promises slower in its process, a little more with each file that loads it, and
 * simulations and weeks of polls are full of them.
 */
const LAST = path.join(TESTS, 'engine');

/** Starts the longest tests first, and those in n8n's engine last. */
module.exports = class Order extends Sequencer {
	sort(tests) {
		const rankOf = ({ path: file }) => {
			const place = FIRST.findIndex((name) => file === path.join(TESTS, `${name}.test.ts`));
			if (place !== -1) return place;
			return file.startsWith(LAST) ? FIRST.length + 1 : FIRST.length;
		};
		return super.sort(tests).sort((one, other) => rankOf(one) - rankOf(other));
	}
};
