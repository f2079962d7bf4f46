import { explainWait } from '../../../../nodes/Aquaculture/limit/noSlot';
import { Queue, type Slot } from '../../../../nodes/Aquaculture/limit/queue';
import { RateLimiter } from '../../../../nodes/Aquaculture/limit/rateLimiter';
import { TokenSource, type Login } from '../../../../nodes/Aquaculture/login/tokenSource';
import { acquireTokenAndSlot } from '../../../../nodes/Aquaculture/sending/tokenAndSlot';
import { MINUTE_MS, SECOND_MS } from '../../../../nodes/Aquaculture/utils/time';
import { VirtualClock } from '../../../../testbed/simulation/virtualClock';

it('passes its slot to the login that it needs, while others wait for slots', async () => {
	const clock = new VirtualClock();
	const limiter = new RateLimiter(clock);
	const tokens = new TokenSource(clock);
	const newQueue = (owner: 'execution' | 'login') => new Queue(owner, 1);
	const old = { value: 'old', replaceAt: Infinity };
	await tokens.joinLogin(async () => await Promise.resolve({ value: old }));
	const sent: string[] = [];
	const send = (slot: Slot, what: string) => {
		sent.push(what);
		limiter.recordAllowed(slot);
	};
	const login: Login = async () => {
		const queue = newQueue('login');
		const slot = await limiter.acquire({ queue, deadline: clock.now() + 5 * SECOND_MS });
		if (!slot) return { failure: explainWait(limiter.describeLimit(queue)) };
		send(slot, 'login');
		return { value: { value: 'new', replaceAt: Infinity } };
	};
	const sendOthers = async (queue: Queue) => {
		for (;;) send((await limiter.acquire({ queue })) as Slot, 'other');
	};
	void sendOthers(newQueue('execution'));

	const slotRequest = { queue: newQueue('execution') };
	const acquired = acquireTokenAndSlot({ limiter, tokens }, slotRequest, login, old);
	await clock.advance(6 * MINUTE_MS);

	// The second slot is the other queue's turn.
	expect(sent.slice(0, 3)).toEqual(['other', 'other', 'login']);
	await expect(acquired).resolves.toMatchObject({ value: { token: { value: 'new' } } });
});
