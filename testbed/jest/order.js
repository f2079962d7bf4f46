const path = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

const TESTS = path.resolve(__dirname, '../../test');

/** The slowest files, so that none of them runs last. */
const FIRST = [
	'simulation/limit',
	'engine/triggerTimes',
	'nodes/Aquaculture/limit/situations',
	'n8n/limit',
	'n8n/pictures',
	'n8n/tokens',
	'n8n/examples',
	'n8n/trigger',
	'n8n/browser',
];

module.exports = class Order extends Sequencer {
	sort(tests) {
		const rankOf = ({ path: file }) => {
			const place = FIRST.findIndex((name) => file === path.join(TESTS, `${name}.test.ts`));
			return place === -1 ? FIRST.length : place;
		};
		return super.sort(tests).sort((one, other) => rankOf(one) - rankOf(other));
	}
};
