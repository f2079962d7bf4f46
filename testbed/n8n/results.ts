import type { ReceivedMail } from '../servers/mailServer';

const FONT = 'font-family: Arial, Helvetica, sans-serif; font-size: 14px; color: #222';

/** Renders a mail like a mail program. */
export function mailPage({ from, to, subject, html, attachments }: ReceivedMail): string {
	const recipients = (to ?? []).map(({ address }) => address).join(', ');
	const lines = [
		['From', from?.address],
		['To', recipients],
	].map(([label, value]) => `<div><span class="label">${label}</span>${escaped(value)}</div>`);
	const files = attachments.map(
		({ filename }) => `<span class="file">Attached: ${escaped(filename)}</span>`,
	);
	return page(
		`header { padding: 16px 20px; background: #f3f5f7; border-bottom: 1px solid #d5dae0; line-height: 1.6 }
		h1 { margin: 0 0 6px; font-size: 19px } main { padding: 8px 20px 20px } .label { color: #667; display: inline-block; width: 54px }
		.file { display: inline-block; margin-top: 8px; padding: 4px 10px; border: 1px solid #c3cad2; border-radius: 4px; background: #fff }`,
		`<header><h1>${escaped(subject)}</h1>${lines.join('')}${files.join('')}</header><main>${html ?? ''}</main>`,
	);
}

/** Renders rows like a spreadsheet program. */
export function sheetPage(name: string, rows: readonly unknown[][]): string {
	const letters = (rows[0] ?? []).map((_, index) => String.fromCharCode(65 + index));
	const lines = rows.map(
		(row, index) => `<tr><th>${index + 1}</th>${row.map(cellOf).join('')}</tr>`,
	);
	return page(
		`header { padding: 8px 12px; background: #1f7145; color: #fff }
		table { border-collapse: collapse; width: 100% } th, td { border: 1px solid #d0d4d8; padding: 3px 8px; white-space: nowrap }
		th { background: #f0f2f4; color: #667; font-weight: normal } td.number { text-align: right }`,
		`<header>${escaped(name)}</header><table><tr><th></th>${letters.map((letter) => `<th>${letter}</th>`).join('')}</tr>${lines.join('')}</table>`,
	);
}

export interface Place {
	name: string;
	latitude: string;
	longitude: string;
	description: string;
}

/** Renders places like a map service, the first one selected, without the map itself. */
export function mapPage(name: string, places: readonly Place[], width: number): string {
	const [list, margin] = [240, 50];
	// A degree of longitude is shorter than one of latitude.
	const narrowing = Math.cos((Number(places[0]?.latitude) * Math.PI) / 180);
	const xs = places.map(({ longitude }) => Number(longitude) * narrowing);
	const ys = places.map(({ latitude }) => -Number(latitude));
	const [left, top] = [Math.min(...xs), Math.min(...ys)];
	const scale = (width - list - 2 * margin) / (Math.max(...xs) - left);
	const height = (Math.max(...ys) - top) * scale + 2 * margin;
	const markers = xs.map((x, index) => {
		const across = (x - left) * scale + margin;
		const down = ((ys[index] ?? 0) - top) * scale + margin;
		return `<path transform="translate(${across} ${down})" d="M0 0C-2 -10 -10 -14 -10 -22a10 10 0 1 1 20 0C10 -14 2 -10 0 0Z"/>`;
	});
	const names = places.map((place) => `<li>${escaped(place.name)}</li>`);
	const [selected] = places;
	return page(
		`main { display: flex } nav { width: ${list - 1}px; border-right: 1px solid #d5dae0 } h1 { margin: 14px 16px 8px; font-size: 16px }
		ul { margin: 0; padding: 0; list-style: none } li { padding: 4px 16px } li:first-child { background: #e6eefb }
		svg { background: #dcebf2; flex: 1 } path { fill: #2f6fb2; stroke: #fff } path:first-child { fill: #c5392b }
		.card { position: absolute; left: ${list + 24}px; top: 16px; padding: 10px 14px; background: #fff; border: 1px solid #c3cad2; border-radius: 4px; line-height: 1.6 }`,
		`<main><nav><h1>${escaped(name)}</h1><ul>${names.join('')}</ul></nav><svg height="${height}">${markers.join('')}</svg></main>
		<div class="card"><b>${escaped(selected?.name)}</b><br>${escaped(selected?.description)}<br>${escaped(selected?.latitude)}, ${escaped(selected?.longitude)}</div>`,
	);
}

function cellOf(value: unknown): string {
	return `<td${typeof value === 'number' ? ' class="number"' : ''}>${escaped(value)}</td>`;
}

function page(style: string, body: string): string {
	return `<!doctype html><meta charset="utf-8"><style>body { margin: 0; ${FONT} } ${style}</style>${body}`;
}

function escaped(value: unknown): string {
	return String(value ?? '')
		.replaceAll('&', '&amp;')
		.replaceAll('<', '&lt;');
}
