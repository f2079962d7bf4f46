import { explainWait } from '../../../../nodes/Aquaculture/limit/noSlot';
import { Queue, type Slot } from '../../../../nodes/Aquaculture/limit/queue';
import { RateLimiter } from '../../../../nodes/Aquaculture/limit/rateLimiter';
import { TokenSource, type Login } from '../../../../nodes/Aquaculture/login/tokenSource';
import { acquireTokenAndSlot } from '../../../../nodes/Aquaculture/sending/tokenAndSlot';
import { MINUTE_MS, SECOND_MS } from '../../../../nodes/Aquaculture/utils/time';
import { VirtualClock } from '../../../../testbed/simulation/virtualClock';

it('gives back its slot for the login that it needs, while others wait for slots', async () => {
	const clock = new VirtualClock();
	const limiter = new RateLimiter(clock);
	const tokens = new TokenSource(clock);
	const newQueue = (owner: 'execution' | 'login') => new Queue(owner, 1);
	const old = { value: 'old', replaceAt: Infinity };
	await tokens.acquire(async () => await Promise.resolve({ value: old }));
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
	const account = { limiter, tokens };
	const sendAll = async (queue: Queue, what: string) => {
		for (;;) {
			const { value } = await acquireTokenAndSlot(account, { queue }, login);
			if (value) send(value.slot, `${what} with the ${value.token.value} token`);
		}
	};
	void sendAll(newQueue('execution'), 'one');
	void sendAll(newQueue('execution'), 'other');
	await clock.advance(0);

	tokens.recordRejected(old, 'site', 1);
	await clock.advance(3 * MINUTE_MS);

	expect(sent.slice(0, 4)).toEqual([
		'one with the old token',
		'login',
		'other with the new token',
		'one with the new token',
	]);
});
