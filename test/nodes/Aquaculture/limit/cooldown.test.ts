import { Cooldown } from '../../../../nodes/Aquaculture/limit/cooldown';
import { Queue } from '../../../../nodes/Aquaculture/limit/queue';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../../nodes/Aquaculture/utils/time';

const queue = new Queue('execution', 100);

/** Each refusal follows twenty allowed requests, and an allowed probe. */
it.each([
	['the first refusal', 1, MINUTE_MS, 4 * SECOND_MS],
	['the fourth within an hour', 4, MINUTE_MS, 32 * SECOND_MS],
	['the fourth, each an hour later', 4, HOUR_MS + 1, 4 * SECOND_MS],
	['the tenth', 10, MINUTE_MS, 15 * MINUTE_MS],
])('after %s, the rate doubles with each tenth of the hold time', (...given) => {
	const [, refusals, everyMs, holdMs] = given;
	const cooldown = new Cooldown();
	let now = 0;
	for (let count = 0; count < refusals; count++) {
		now += everyMs;
		cooldown.recordRefused({ queue, sentAt: now }, 0, 20, now);
		cooldown.recordAllowed({ queue, sentAt: now + 1 });
	}
	const heldUntil = now + cooldown.remainingMs(now) + holdMs;

	expect(
		[-1, 0, 0.1, 0.2, 0.3].map((part) => cooldown.rate(Math.ceil(heldUntil + part * holdMs))),
	).toEqual([18, 18, 36, 72, 144]);
});
