import { setImmediate as turn } from 'node:timers/promises';
import { Stage } from '../../testbed/stage';

describe('a stage', () => {
	let stage: Stage;
	let ended: string[];

	beforeEach(() => {
		stage = new Stage();
		ended = [];
	});

	const actor = (name: string) => ({
		async stop() {
			await turn();
			ended.push(name);
		},
	});

	it('a stage ends the last first', async () => {
		await stage.keep(Promise.resolve(actor('service')));
		await stage.add(actor('browser').stop);
		await stage.end();

		expect(ended).toEqual(['browser', 'service']);
	});

	it('a stage ends all once, also where one cannot be ended or has not been started', async () => {
		const away = stage.keep(Promise.reject<ReturnType<typeof actor>>(new Error('no port')));
		await expect(away).rejects.toThrow('no port');
		await stage.keep(Promise.resolve(actor('service')));
		await stage.add(async () => await Promise.reject(new Error('stuck')));

		await expect(stage.end()).rejects.toThrow('stuck');
		await stage.end();
		expect(ended).toEqual(['service']);
	});

	it('a stage waits for what is being started, and ends it', async () => {
		let open: (started: ReturnType<typeof actor>) => void = () => undefined;
		const late = stage.keep(new Promise<ReturnType<typeof actor>>((resolve) => (open = resolve)));
		const end = stage.end();
		open(actor('late'));

		const atTheEnd = end.then(() => [...ended]);
		await expect(late).rejects.toThrow('The end has begun');
		await expect(atTheEnd).resolves.toEqual(['late']);
	});
});
