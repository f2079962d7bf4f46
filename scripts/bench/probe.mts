import { readFileSync, writeFileSync } from 'node:fs';

/** What a process has used by its end. */
export interface Usage {
	/** User and system time of all its threads. */
	cpuSeconds: number;
	/** The most memory that it has held at once, in megabytes. */
	peakMemoryMB: number;
}

/** Names the file into which a process that has loaded this one writes its `Usage`. */
export const USAGE_FILE = 'BENCH_USAGE_FILE';

const file = process.env[USAGE_FILE];
if (file !== undefined) {
	process.on('exit', () => {
		const { user, system } = process.cpuUsage();
		const usage: Usage = { cpuSeconds: (user + system) / 1e6, peakMemoryMB: peakMemoryMB() };
		writeFileSync(file, JSON.stringify(usage));
	});
}

function peakMemoryMB(): number {
	// Unlike getrusage's figure, Linux counts this one for the program alone, not for what was before it in the process.
	const [, kilobytes] =
		/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
	return Number(kilobytes) / 1024;
}
