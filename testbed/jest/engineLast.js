const path = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

const ENGINE = path.resolve(__dirname, '../../test/engine');

/**
 * Starts the tests in n8n's engine last, and the longest of them first: in Node.js 20 the engine makes promises slower in its
 * process, a little more with each file that loads it, and simulations and weeks of polls are full of them.
 */
module.exports = class EngineLast extends Sequencer {
	sort(tests) {
		const rankOf = ({ path: file }) => {
			if (file === path.join(ENGINE, 'triggerTimes.test.ts')) return 0;
			return file.startsWith(ENGINE) ? 2 : 1;
		};
		return super.sort(tests).sort((one, other) => rankOf(one) - rankOf(other));
	}
};
