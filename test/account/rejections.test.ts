import { Rejections, type LoginReason, type Verdict } from '../../account/rejections';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../texts/duration';

let now: number;
let rejections: Rejections;
let newest: string | undefined;
let logins: number;

beforeEach(() => {
	now = 0;
	logins = 0;
	rejections = new Rejections(() => now);
	logIn('no token');
});

function logIn(reason: LoginReason): void {
	newest = `token ${(logins += 1)}`;
	rejections.noteLogin(newest, reason);
}

const accept = (document: string) => rejections.accept(newest ?? '', document, newest);

/** Rejects a document with the newest token, and logs in if that is to be given up. */
function reject(document: string): Verdict {
	const verdict = rejections.reject(newest ?? '', document, newest);
	if (verdict === 'again') logIn('rejected');
	return verdict;
}

/** Two logins that did not help, by two forbidden documents. */
function beginBackoff(): void {
	for (const document of ['one', 'two']) {
		accept('good');
		expect(reject(document)).toBe('again');
	}
	accept('good');
}

describe('a document that is rejected with two tokens', () => {
	beforeEach(() => {
		accept('good');
		reject('bad');
		accept('good');
	});

	it('a document that is rejected with two tokens, one of which is accepted for others, is forbidden for an hour since it was rejected first', () => {
		expect(reject('bad')).toBe('final');
		now = HOUR_MS - 1;
		expect(reject('bad')).toBe('final');
		now = HOUR_MS;
		expect(reject('bad')).toBe('again');
	});

	it('a document that is rejected with two tokens, one of which is accepted for others, stays forbidden with each later token', () => {
		reject('bad');
		logIn('no token');
		accept('good');

		expect(reject('bad')).toBe('final');
	});

	it('a document that is rejected with two tokens, one of which is accepted for others, is a document like others once it was accepted', () => {
		accept('bad');

		expect(reject('bad')).toBe('again');
	});

	it('a document that is rejected with two tokens, one of which is accepted for others, is one like others after a credential test', () => {
		rejections.forget();
		logIn('no token');
		accept('good');

		expect(reject('bad')).toBe('again');
	});

	it('a document that is rejected with two tokens, one of which is accepted for others, keeps no other document from a login', () => {
		expect(reject('good')).toBe('again');
	});
});

it('a document that is rejected with a token that is not the newest one is asked for again, and remembered', () => {
	const older = newest ?? '';
	accept('good');
	reject('good');
	accept('good');

	expect(rejections.reject(older, 'late', newest)).toBe('again');
	expect(reject('late')).toBe('final');
});

it('a document that is rejected while the newest token is given up is asked for again', () => {
	expect(rejections.reject(newest ?? '', 'late', undefined)).toBe('again');
});

it('at most four logins are made in half a minute', () => {
	for (const document of ['one', 'two', 'three']) {
		now += SECOND_MS;
		accept('good');
		expect(reject(document)).toBe('again');
		accept(document);
	}
	expect(rejections.areLoginsFrequent).toBe(true);
	expect(reject('four')).not.toBe('again');

	now = 30 * SECOND_MS;
	expect(rejections.areLoginsFrequent).toBe(false);
	expect(reject('five')).toBe('again');
});

it('the back-off begins after two logins that did not help, and doubles up to half an hour', () => {
	expect(reject('bad')).toBe('again');
	const pauses: number[] = [];
	for (let last = 0; pauses.length < 8; now += SECOND_MS) {
		if (reject('bad') !== 'again') continue;
		pauses.push((now - last) / SECOND_MS);
		last = now;
	}

	expect(pauses).toEqual([30, 60, 120, 240, 480, 960, 1800, 1800]);
});

it('the back-off makes the third forbidden document cost no login', () => {
	beginBackoff();

	expect(reject('three')).toBe('final');
});

it('the back-off ends with a login that helps', () => {
	beginBackoff();
	now = 30 * SECOND_MS;
	expect(reject('three')).toBe('again');
	accept('three');

	expect(reject('four')).toBe('again');
});

it('the back-off does not end because the answer to an earlier request arrives late', () => {
	const older = newest ?? '';
	reject('bad');
	rejections.accept(older, 'other', newest);

	expect(reject('bad')).toBe('final');
});

it('the back-off ends with a credential test', () => {
	beginBackoff();
	rejections.forget();
	accept('good');

	expect(reject('three')).toBe('again');
});

it('the back-off does not count logins for other nodes, in either way', () => {
	for (let count = 0; count < 9; count++) logIn('other node');
	accept('good');
	now = 31 * SECOND_MS;

	expect(reject('one')).toBe('again');
	logIn('other node');
	now += 31 * SECOND_MS;
	accept('good');
	expect(reject('two')).toBe('again');
	accept('good');
	expect(reject('three')).toBe('final');
});

it('the back-off does not hold when five documents in a row are rejected: the session has probably ended', () => {
	beginBackoff();
	const verdicts = ['a', 'b', 'c', 'd', 'e'].map((document) => reject(document));

	expect(verdicts).toEqual(['final', 'final', 'final', 'final', 'again']);
});

it('the back-off does not hold when nothing was accepted for two minutes', () => {
	for (const [index, seconds] of [0, 0, 30, 60, 120].entries()) {
		now += seconds * SECOND_MS;
		accept('good');
		expect(reject(`site ${index}`)).toBe('again');
	}
	// The back-off takes four minutes now.
	accept('good');
	now += 2 * MINUTE_MS - 1;
	expect(reject('six')).toBe('final');
	now += 1;

	expect(reject('six')).toBe('again');
});

describe('something else that ends the session', () => {
	const endSession = (document: string) => {
		accept('good');
		expect(reject(document)).toBe('again');
		accept(document);
		now += 40 * SECOND_MS;
	};
	const rejectTwice = () => {
		accept('good');
		reject('bad');
		accept('good');
		return reject('bad');
	};

	it('something else ends the session if two logins within five minutes have helped rejected documents', () => {
		endSession('one');
		endSession('two');

		expect(rejectTwice()).toBe('sessionEnded');
	});

	it('something else does not end the session if one login has helped', () => {
		endSession('one');

		expect(rejectTwice()).toBe('final');
	});

	it('something else does not end the session if two logins have helped long ago', () => {
		endSession('one');
		endSession('two');
		now += 5 * MINUTE_MS;

		expect(rejectTwice()).toBe('final');
	});
});

it('beyond a thousand rejected documents all are forgotten', () => {
	accept('good');
	reject('first');
	accept('good');
	for (let index = 0; index < 1000; index++) rejections.reject('older', `site ${index}`, newest);
	now = 31 * MINUTE_MS;
	accept('good');

	expect(reject('first')).toBe('again');
});
