import { getEventListeners } from 'node:events';
import { timeoutSignal, unlessAborted } from '../../../../nodes/Aquaculture/utils/time';
import { useFakeTime } from '../../../../testbed/engine/fakeTime';

const { advance } = useFakeTime();

it('timeoutSignal aborts after its time', async () => {
	const signal = timeoutSignal(59.5);

	await advance(59);
	expect({ at59: signal.aborted }).toEqual({ at59: false });
	await advance(1);
	expect({ at60: signal.aborted }).toEqual({ at60: true });
});

it('unlessAborted stops waiting at an abort, and removes its listener', async () => {
	const one = new AbortController();
	const hang = new Promise<never>(() => {});

	await expect(unlessAborted(Promise.resolve(7), one.signal)).resolves.toBe(7);
	await expect(unlessAborted(Promise.reject(new Error('No')), one.signal)).rejects.toThrow('No');
	expect(getEventListeners(one.signal, 'abort')).toEqual([]);
	const waiting = unlessAborted(hang, one.signal);
	one.abort();
	await expect(waiting).resolves.toBeUndefined();
	await expect(unlessAborted(hang, AbortSignal.abort())).resolves.toBeUndefined();
});
