import type { ContestantName } from './contestants';
import type { Figures } from './figures';
import type { Results } from './results';

/** A group of bars: one figure of the contestants of a scenario. */
interface Panel {
	title: string;
	scenario: string;
	figure: keyof Figures;
	digits: number;
}

const PANELS: readonly Panel[] = [
	{
		title: 'CPU milliseconds for each site (5,000 sites, 0 ms latency)',
		scenario: '5000-0ms',
		figure: 'cpuMsPerItem',
		digits: 2,
	},
	{
		title: 'Seconds of the step (1,000 sites, 50 ms latency)',
		scenario: '1000-50ms',
		figure: 'stepSeconds',
		digits: 2,
	},
	{
		title: 'Growth of memory in megabytes (5,000 sites, 0 ms latency)',
		scenario: '5000-0ms',
		figure: 'memoryGrowthMB',
		digits: 0,
	},
];

const WIDTH = 860;
const LABELS = 330;
const BARS = WIDTH - LABELS - 90;
const ROW = 24;
const TITLE = 34;
const GAP = 18;

/** The page has a colour of its own, since a reader's theme need not be that of the system. */
const STYLE = `.page { fill: #ffffff; }
text { font: 13px system-ui, sans-serif; fill: #24292f; }
.title { font-weight: 600; }
.ours { fill: #0a7f8c; }
.n8n { fill: #d4703c; }
.floor { fill: #8c959f; }
@media (prefers-color-scheme: dark) {
.page { fill: #0d1117; }
text { fill: #d0d7de; }
.ours { fill: #2bb3c0; }
.n8n { fill: #e58a57; }
.floor { fill: #6e7781; }
}`;

/** A chart of the main figures as an SVG document: bars in groups, one below the other. */
export function chart(results: Results): string {
	let top = 0;
	const panels = PANELS.flatMap((panel) => {
		const bars = barsOf(results, panel);
		if (bars.length === 0) return [];
		const drawn = drawPanel(panel, bars, top);
		top += TITLE + bars.length * ROW + GAP;
		return [drawn];
	});
	return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${top}" role="img" aria-label="Cost of reading many sites">
<style>
${STYLE}
</style>
<rect class="page" width="${WIDTH}" height="${top}" rx="6"/>
${panels.join('\n')}
</svg>
`;
}

interface Bar {
	label: string;
	className: string;
	value: number;
	itemsLost: number;
}

function barsOf({ scenarios }: Results, { scenario, figure }: Panel): Bar[] {
	const found = scenarios.find(({ name }) => name === scenario);
	return (found?.contestants ?? []).map(({ name, label, figures }) => ({
		label,
		className: classOf(name),
		value: figures[figure],
		itemsLost: figures.itemsLost,
	}));
}

function classOf(name: ContestantName): string {
	if (name.startsWith('get')) return 'ours';
	return name.startsWith('http') ? 'n8n' : 'floor';
}

function drawPanel({ title, digits }: Panel, bars: readonly Bar[], top: number): string {
	const longest = Math.max(...bars.map(({ value }) => value));
	const rows = bars.map(({ label, className, value, itemsLost }, index) => {
		const y = top + TITLE + index * ROW;
		const length = Math.max(1, (BARS * value) / longest).toFixed(1);
		const text = itemsLost > 0 ? 'items lost' : value.toFixed(digits);
		return `<text x="${LABELS - 10}" y="${y + 15}" text-anchor="end">${escaped(label)}</text>
<rect class="${className}" x="${LABELS}" y="${y + 2}" width="${length}" height="${ROW - 6}" rx="2"/>
<text x="${(LABELS + Number(length) + 8).toFixed(1)}" y="${y + 15}">${text}</text>`;
	});
	return [
		`<text class="title" x="${LABELS}" y="${top + 22}">${escaped(title)}</text>`,
		...rows,
	].join('\n');
}

function escaped(text: string): string {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
