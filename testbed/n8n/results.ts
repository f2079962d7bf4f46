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
		h1 { margin: 0 0 6px; font-size: 19px } main { padding: 8px 20px 0 } .label { color: #667; display: inline-block; width: 54px }
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
		table { border-collapse: collapse; width: 100%; font-size: 11px } th, td { border: 1px solid #d0d4d8; padding: 4px 5px; white-space: nowrap }
		th { background: #f0f2f4; color: #667; font-weight: normal } td.number { text-align: right }`,
		`<header>${escaped(name)}</header><table><tr><th></th>${letters.map((letter) => `<th>${letter}</th>`).join('')}</tr>${lines.join('')}</table>`,
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
