import type { IDataObject } from 'n8n-workflow';
import { Revisions } from '../../../../nodes/Aquaculture/trigger/revisions';

describe('the revisions of what a trigger remembers', () => {
	let now: number;
	let revisions: Revisions;

	beforeEach(() => {
		now = 0;
		revisions = new Revisions(() => now);
	});

	it('make what was loaded before the last one outdated, for ten seconds and for this trigger alone', () => {
		const loaded: IDataObject = {};
		const stored: IDataObject = { ...loaded };
		revisions.advance('a', stored);

		expect(revisions.isOutdated('a', stored)).toBe(false);
		expect(revisions.isOutdated('a', loaded)).toBe(true);
		expect(revisions.isOutdated('b', loaded)).toBe(false);
		now = 9_999;
		expect(revisions.isOutdated('a', loaded)).toBe(true);
		now = 10_000;
		expect(revisions.isOutdated('a', loaded)).toBe(false);
	});

	it('are forgotten when the workflow is activated anew', () => {
		revisions.advance('a', {});
		revisions.forget('a');

		expect(revisions.isOutdated('a', {})).toBe(false);
	});

	it('go on from what another process has stored', () => {
		const stored: IDataObject = { revision: 7 };
		revisions.advance('a', stored);

		expect(stored).toEqual({ revision: 8 });
		expect(revisions.isOutdated('a', { revision: 7 })).toBe(true);
		expect(revisions.isOutdated('a', { revision: 9 })).toBe(false);
	});

	it.each([undefined, null, '7', 1.5, Number.NaN])('begin anew where %p is stored', (revision) => {
		const stored = { revision } as unknown as IDataObject;
		revisions.advance('a', stored);

		expect(stored).toEqual({ revision: 1 });
	});
});
