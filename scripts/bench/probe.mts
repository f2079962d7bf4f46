import { readFileSync, writeSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/** What a process has used by its end. */
export interface Usage {
	/** User and system time of all its threads. */
	cpuSeconds: number;
	/** The most memory that it has held at once, in megabytes. */
	peakMemoryMB: number;
}

// A process that has loaded this file writes its usage to standard error as its last line.
if (isMainThread) {
	process.on('exit', () => {
		const { user, system } = process.cpuUsage();
		// Unlike getrusage's figure, this one counts the program alone, not what the process ran before it.
		const [, kilobytes] =
			/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
		const usage: Usage = {
			cpuSeconds: (user + system) / 1e6,
			peakMemoryMB: Number(kilobytes) / 1024,
		};
		writeSync(2, `\n${JSON.stringify(usage)}`);
	});
}
