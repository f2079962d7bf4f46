import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import type { Editor } from './editor';

interface Texts {
	button: string;
	/** The heading above a file that is handed over. */
	ready: string;
	/** The heading above a refusal. */
	refused: string;
}

/** Drives a form of n8n with one file to upload, which hands over another file. */
export class UploadForm {
	constructor(
		private readonly editor: Editor,
		readonly address: string,
		private readonly texts: Texts,
	) {}

	/** Uploads a file, and returns the one that the form hands over. */
	async upload(name: string, content: string | Buffer): Promise<{ name: string; file: Buffer }> {
		return await this.editor.withNewPage(async (page) => {
			const [download] = await Promise.all([
				page.waitForEvent('download'),
				this.send(page, name, content, this.texts.ready),
			]);
			return {
				name: download.suggestedFilename(),
				file: await readFile(await download.path()),
			};
		});
	}

	/** Uploads a file that the form refuses, and returns what it says. */
	async refusalOf(name: string, content: string): Promise<string> {
		return await this.editor.withNewPage(async (page) => {
			await this.send(page, name, content, this.texts.refused);
			return await page.locator('body').innerText();
		});
	}

	private async send(
		page: Page,
		name: string,
		content: string | Buffer,
		heading: string,
	): Promise<void> {
		await page.goto(this.address);
		const file = { name, mimeType: 'application/octet-stream', buffer: Buffer.from(content) };
		await page.locator('input[type="file"]').setInputFiles(file);
		await page.getByRole('button', { name: this.texts.button }).click();
		await page.getByText(heading).waitFor();
	}
}
