import { Limit } from '../../account/limit';
import { LimitedService, type ServiceSettings } from './limitedService';

/*
 * What people meet who share an account that may send 100 requests a minute, on a virtual clock: the limit is the product's
 * own, the service counts as the operator might. Times are in milliseconds.
 */

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** What happens, how it ends, and whether that is good enough. */
export interface Scenario {
	what: string;
	play(): Promise<{ end: string; isGood: boolean }>;
}

/** How a service may count. */
const COUNTING: Array<Partial<ServiceSettings>> = [true, false].flatMap((hasFixedMinutes) =>
	[true, false].flatMap((countsRefused) =>
		[undefined, 5 * SECOND_MS].map((retryAfterMs) => {
			return { hasFixedMinutes, countsRefused, retryAfterMs };
		}),
	),
);

const spell = (ms: number) =>
	ms < 2 * MINUTE_MS ? `${(ms / SECOND_MS).toFixed(1)} s` : `${(ms / MINUTE_MS).toFixed(1)} min`;

/** A run of 420 sites from its begin, or after a minute of it, beside a credential test, ten sites and four triggers. */
async function besideALongRun(afterMs: number) {
	const service = new LimitedService();
	const { clock } = service;
	const run = service.read(420);
	await clock.pass(afterMs);
	const from = clock.now();
	// A test logs in twice.
	const test = service.read(1, { kind: 'login' }).then(async () => await service.read(1, { kind: 'login' }));
	const ten = service.read(10);
	let pollsRead = 0;
	const trigger = async (second: number) => {
		await clock.sleep(second * SECOND_MS);
		for (let polls = 0; polls < 4; polls++) {
			const endsAt = clock.now() + 27 * SECOND_MS;
			if ((await service.read(5, { kind: 'poll', endsAt })) < Infinity) pollsRead += 1;
			await clock.sleep(endsAt + 33 * SECOND_MS - clock.now());
		}
	};
	const triggers = Promise.all([0, 7, 14, 21].map(trigger));
	const testMs = (await service.finish(test)) - from;
	const tenMs = (await service.finish(ten)) - from;
	await service.finish(triggers);
	const runMs = await service.finish(run);
	return { testMs, tenMs, pollsRead, runMs, refusals: service.refusals };
}

/** Others send some requests a minute for four hours, beside runs of this account that go on. */
async function constantUse(others: number, settings: Partial<ServiceSettings> = {}, processes = 1) {
	const HOURS = 4;
	const service = new LimitedService({ othersPerMinute: () => others, ...settings });
	const { number = 100 } = settings;
	const from = 70 * SECOND_MS;
	await service.clock.pass(from);
	for (let process = 0; process < processes; process++) {
		void service.read(50_000, { limit: process === 0 ? service.limit : new Limit(service.clock) });
	}
	await service.clock.pass(HOURS * HOUR_MS);
	const hours = Array.from({ length: HOURS }, (_, hour) =>
		service.ours.filter(({ at }) => Math.floor((at - from) / HOUR_MS) === hour),
	);
	const refusals = hours.map((hour) => hour.filter(({ isRefused }) => isRefused).length);
	const taken = service.ours.length - service.refusals;
	return { first: refusals[0] ?? NaN, later: Math.max(...refusals.slice(1)), used: taken / ((number - others) * 60 * HOURS) };
}

/** Others send 150 requests a minute for a quarter of an hour, beside a run that goes on. */
async function heavyUse(settings: Partial<ServiceSettings>) {
	const USE_MS = 15 * MINUTE_MS;
	const othersPerMinute = (at: number) => (at < USE_MS ? 150 : 0);
	const service = new LimitedService({ othersPerMinute, ...settings });
	await service.clock.pass(SECOND_MS);
	void service.read(10_000);
	await service.clock.pass(2 * HOUR_MS);
	const times = service.ours.filter(({ isRefused }) => !isRefused).map(({ at }) => at);
	const full = times.find((at, i) => at > USE_MS && (times[i + 90] ?? Infinity) - at < 62 * SECOND_MS);
	return { fullMs: (full ?? Infinity) - USE_MS, refusals: service.refusals };
}

const run = async (name: string) => {
	if (name === 'alone') {
		for (const n of [1, 90, 100, 300, 420]) {
			const s = new LimitedService(); const ms = await s.finish(s.read(n));
			console.log(n, spell(ms), 'busiest', s.busiestMinute(), 'refused', s.refusals);
		}
		{ const s = new LimitedService(); const ms = await s.finish(s.read(3000)); console.log('3000: per minute', 3000/(ms/MINUTE_MS)); }
		{ const s = new LimitedService(); const ms = await s.finish(Promise.all([s.read(420), s.read(420)])); console.log('two 420', ms.map(spell), s.refusals); }
	}
	if (name === 'beside') for (const after of [0, 5, 10, 20, 30, 40, 50, 60, 70, 75]) { const r = await besideALongRun(after*SECOND_MS); console.log(after, spell(r.testMs), spell(r.tenMs), r.pollsRead, spell(r.runMs), r.refusals); }
	if (name === 'small') { 
		const s = new LimitedService(); let done=false; const small: number[]=[];
		const long = s.read(420).then((at)=>{done=true; return at;});
		const beside=(async()=>{ while(!done){ const from=s.clock.now(); void s.read(1).then((at)=>small.push(at-from)); await s.clock.sleep(MINUTE_MS/90);} })();
		const ms = await s.finish(long); await s.finish(beside); console.log('90 small', spell(ms), 'longest small', spell(Math.max(...small)), s.refusals);
	}
	if (name === 'after') for (const other of [false,true]) for (const n of [0,1,5,50]) { const s=new LimitedService({number:Infinity,latencyMs:300}); await s.finish(s.read(n)); 
		const { Queue } = await import('../../account/limit');
		const q = new Queue('execution',100); const p = await s.finish(s.limit.enter({queue:q})); if(p) s.limit.refuse(p, SECOND_MS);
		await s.clock.pass(2*SECOND_MS); await s.finish(s.read(1)); await s.clock.pass(MINUTE_MS);
		void s.limit.enter({queue:q}); const from=s.clock.now(); const ms = await s.finish(other ? s.read(220,{isOther:true}) : s.read(60)); console.log('after', other, n, spell(ms-from)); }
	if (name==='used') { for (const r of [undefined, 20000]) { const s = new LimitedService({retryAfterMs:r}); s.useUp(100); await s.clock.pass(SECOND_MS); const ms=await s.finish(s.read(60)); console.log('used up', spell(ms), s.refusals);} }
	if (name==='heavy') for (const c of COUNTING) { const r = await heavyUse(c); console.log(JSON.stringify(c), spell(r.fullMs), r.refusals); }
	if (name==='constant') for (const o of [30,70,90]) for (const c of COUNTING) { const r = await constantUse(o,c); console.log(o, JSON.stringify(c), r.first, r.later, r.used.toFixed(3)); }
	if (name==='lower') for (const n of [5,20,50]) for (const c of COUNTING.slice(0,3)) { const r = await constantUse(0,{...c,number:n}); console.log('lower', n, r.first, r.later, r.used.toFixed(3)); }
	if (name==='procs') for (const n of [2,3]) for (const c of COUNTING) { const r = await constantUse(0,c,n); console.log('procs', n, r.first, r.later, r.used.toFixed(3)); }
};
for (const name of process.argv.slice(2)) await run(name);
