import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { EmulatorSettings } from '../../emulator/server';
import type { FaultRule } from '../../emulator/faults';
import { launch } from './processes';

/** How the service behaves during a run. */
export interface Conditions
	extends Pick<EmulatorSettings, 'latencyMs' | 'latencyJitter' | 'requestsPerMinute'> {
	faults?: readonly FaultRule[];
}

/** What the service has seen during a run. */
export interface Seen {
	/** Requests for a site. */
	requests: number;
	/** TCP connections. */
	connections: number;
	/** Tokens that were issued. */
	exchanges: number;
	/** The most requests that were under way at once. */
	peakConcurrency: number;
	/** Requests that were answered with 429. */
	refusals: number;
}

/** What the process of the service is told. */
export type Order = { prepare: Conditions } | { tell: 'seen' };

const SERVICE_PROCESS = path.join(__dirname, 'serviceProcess.ts');

/** The emulator in a process, and on a core, of its own. */
export class Service {
	private constructor(
		private readonly child: ChildProcess,
		readonly baseUrl: string,
	) {}

	static async start(): Promise<Service> {
		const child = launch('service', process.execPath, ['--import', 'tsx', SERVICE_PROCESS], {
			stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
			serialization: 'advanced',
		});
		return new Service(child, await answerOf<string>(child));
	}

	/** Forgets what was before, and behaves like this from now on. */
	async prepare(conditions: Conditions): Promise<void> {
		await this.order({ prepare: conditions });
	}

	/** What it has seen since it was prepared. */
	async seen(): Promise<Seen> {
		return await this.order<Seen>({ tell: 'seen' });
	}

	private async order<T>(order: Order): Promise<T> {
		const answer = answerOf<T>(this.child);
		this.child.send(order);
		return await answer;
	}
}

async function answerOf<T>(child: ChildProcess): Promise<T> {
	const gone = new AbortController();
	const fail = () => gone.abort();
	child.once('close', fail);
	try {
		const [answer] = (await once(child, 'message', { signal: gone.signal })) as [T];
		return answer;
	} catch {
		throw new Error('The process of the emulated service has ended');
	} finally {
		child.off('close', fail);
	}
}
