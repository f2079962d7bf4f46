import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
	chromium,
	selectors,
	type Locator,
	type Page,
	type PageScreenshotOptions,
} from 'playwright-core';
import { OWNER, type N8nInstance } from './instance';
import type { Cleanup } from '../cleanup';
import { until } from '../wait';
import { programPath } from '../servers/programs';

/** Makes text in pictures independent of the installed fonts. */
const FONTS = path.join(__dirname, 'fonts.conf');

/** Pages are slow beside other tests. */
const MAX_WAIT_MS = 60_000;

/** n8n debounces input by 100 ms. */
const TYPING_PAUSE_MS = 300;

/** n8n animates the canvas. */
const ZOOMING_MS = 1000;

/** Wide enough for the buttons above the panels. */
export const VIEWPORT = { width: 1440, height: 800 };
const PIXEL_RATIO = 2;
/** The part of a node's window below its title and at the right of its input. */
export const NODE_AND_OUTPUT = { left: 486, top: 42 };

/** Hidden in pictures. */
const OVERLAYS = [
	'.el-notification',
	'.n8n-tooltip',
	'[data-test-id="floating-nodes"]',
	'[data-test-id^="execute-workflow-button"]',
	'[data-test-id="canvas-controls"]',
	'[data-test-id="canvas-handle-plus-wrapper"]',
].join();

/** Texts that change in each run, and their replacements in pictures. */
const VOLATILE_TEXTS = [
	['\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z', '2026-01-05T06:00:02.000Z'],
	['in [\\d.]+m?s', 'in 1.2s'],
	['[\\d.]+KB', '27KB'],
	['\\(#\\w{16}\\)', ''],
	['ID#\\d+', 'ID#1'],
	[
		'00-[0-9a-f]{32}-[0-9a-f]{16}-\\d\\d',
		'00-49b5250fc418ce6cf5086647a2d6ff62-81a414175e6d8090-01',
	],
	['\\b[0-9a-z]{19}\\b', '3zezrpxsbqcnla06eux'],
];
/** Start times of executions, newest first. The no-break space keeps them from being replaced again. */
const RUNS = ['Jan\u00a06, 14:25:40', 'Jan\u00a06, 14:24:15', 'Jan\u00a06, 14:22:05'];
const FIX_VOLATILE_TEXTS = `window.runs ??= [];
const runTime = (began) => {
	if (!window.runs.includes(began)) window.runs.push(began);
	return ${JSON.stringify(RUNS)}[window.runs.indexOf(began)];
};
for (const texts = document.createTreeWalker(document.body, 4); texts.nextNode();) {
	const text = texts.currentNode;
	let fixed = text.data.replace(/[A-Z][a-z]{2} \\d{1,2}, \\d\\d:\\d\\d:\\d\\d/g, runTime);
	for (const [passing, shown] of ${JSON.stringify(VOLATILE_TEXTS)}) {
		fixed = fixed.replace(new RegExp(passing, 'g'), shown);
	}
	if (fixed !== text.data) text.data = fixed;
}`;

const FIND_CUT_OFF_NOTES = `(() => {
	const isCutOff = (part) =>
		getComputedStyle(part).overflowY === 'hidden' && part.scrollHeight > part.clientHeight;
	return [...document.querySelectorAll('[data-test-id="sticky"]')]
		.filter((note) => [...note.querySelectorAll('div')].some(isCutOff))
		.map(({ textContent }) => textContent.trim().split('\\n')[0]);
})()`;

selectors.setTestIdAttribute('data-test-id');

/** Drives n8n's editor in a browser. */
export class Editor {
	private constructor(
		readonly page: Page,
		private readonly address: string,
	) {}

	/**
	 * Opens the editor and signs in as the owner.
	 *
	 * @param httpCredentials for forms with HTTP authentication.
	 */
	static async open(
		cleanup: Cleanup,
		n8n: N8nInstance,
		httpCredentials?: { username: string; password: string },
	): Promise<Editor> {
		const launching = chromium.launch({
			executablePath: programPath('chromium'),
			// For the headless build of Chromium; the full one reads the font configuration.
			args: ['--font-render-hinting=slight'],
			env: { ...process.env, FONTCONFIG_FILE: FONTS } as Record<string, string>,
		});
		await cleanup.use(launching.then((each) => ({ stop: async () => await each.close() })));
		const browser = await launching;
		const context = await browser.newContext({
			viewport: VIEWPORT,
			deviceScaleFactor: PIXEL_RATIO,
			locale: 'en-US',
			timezoneId: 'UTC',
			...(httpCredentials && { httpCredentials }),
		});
		context.setDefaultTimeout(MAX_WAIT_MS);
		const page = await context.newPage();
		await page.goto(`${n8n.address}/signin`);
		await page.locator('input[type="email"], input[autocomplete="email"]').fill(OWNER.email);
		await page.locator('input[type="password"]').fill(OWNER.password);
		await page.getByRole('button', { name: 'Sign in' }).click();
		await page.waitForURL(/home|workflow/);
		return new Editor(page, n8n.address);
	}

	/** Opens a new workflow, and searches for its first step. */
	async beginWorkflow(text: string): Promise<void> {
		await this.page.goto(`${this.address}/workflow/new`);
		await this.part('canvas-add-button').click();
		await this.search(text);
	}

	async openWorkflow(id: string, viewport = VIEWPORT): Promise<void> {
		await this.page.setViewportSize(viewport);
		await this.page.goto(`${this.address}/workflow/${id}`);
		await this.part('canvas-node').first().waitFor();
	}

	/** Types into the search bar of the list of nodes, and waits until the list changes. */
	async search(text: string): Promise<void> {
		const names = this.part('node-creator-item-name');
		await names.first().waitFor();
		const before = await names.allInnerTexts();
		await this.part('node-creator-search-bar').fill(text);
		await until(async () => !isDeepStrictEqual(await names.allInnerTexts(), before));
	}

	/** A node or an action in the list of nodes. */
	found(text: string): Locator {
		return this.part('node-creator-item-name').filter({ hasText: text }).first();
	}

	/** The text field of a parameter or of a credential's field. */
	field(name: string): Locator {
		// The field of a site begins with the choice of how it is named.
		const typed = 'input:not([placeholder="Mode..."]), textarea';
		return this.part(`parameter-input-${name}`).locator(typed);
	}

	/** Types into a text field, and leaves it. */
	async fill(field: string | Locator, text: string): Promise<void> {
		const input = typeof field === 'string' ? this.field(field) : field;
		await input.fill(text);
		await input.press('Tab');
		await this.page.waitForTimeout(TYPING_PAUSE_MS);
	}

	switch(name: string): Locator {
		return this.part(`parameter-input-${name}`).locator('.el-switch');
	}

	/** Finds a part of the page by n8n's test ID. */
	part(name: string): Locator {
		return this.page.getByTestId(name);
	}

	/** Chooses from the list of a field that has a list. */
	async choose(name: string, label: string): Promise<void> {
		const list = this.part(`parameter-input-${name}`).locator('.el-select').first();
		// Wait until n8n has loaded the entries.
		await list.locator('input:not([disabled])').first().waitFor({ state: 'attached' });
		await list.click();
		await this.pick(label);
	}

	/** Adds an option to the node, by its label. */
	async addOption(label: string): Promise<void> {
		const options = this.page.getByPlaceholder('Add option');
		await options
			.or(this.page.getByRole('button', { name: 'Add option' }))
			.first()
			.click();
		await this.pick(label);
	}

	/** Chooses an entry of the list that is open. */
	async pick(label: string): Promise<void> {
		await this.page
			.locator('.el-select-dropdown__item:visible')
			.filter({ has: this.page.getByText(label, { exact: true }) })
			.first()
			.click();
		await this.page.waitForTimeout(TYPING_PAUSE_MS);
	}

	/** Opens the list of sites, and types into its search bar. */
	async searchSites(text: string): Promise<void> {
		await this.part('rlc-input').click();
		await this.part('rlc-item').first().waitFor();
		await this.part('rlc-search').fill(text);
	}

	/** Makes the output as wide as it can be. */
	async widenOutput(): Promise<void> {
		const grip = this.part('panel-drag-button');
		await grip.dragTo(this.part('ndv'), { targetPosition: { x: 1, y: 300 }, steps: 12 });
	}

	async executeStep(): Promise<void> {
		const started = this.page.waitForResponse(/\/rest\/workflows\/\w+\/run/);
		await this.part('node-execute-button').click();
		await started;
		await this.page.locator('[data-test-id="node-execute-button"]:not([disabled])').waitFor();
	}

	async openNode(name: string): Promise<void> {
		await this.part('canvas-node').filter({ hasText: name }).dblclick();
	}

	async closeNode(): Promise<void> {
		await this.part('ndv-close-button').or(this.part('back-to-canvas')).click();
	}

	/** Opens the credential of the open node in its full height, and waits until its test has passed. */
	async openCredential(): Promise<Locator> {
		await this.page.setViewportSize({ ...VIEWPORT, height: 1900 });
		await this.part('credential-edit-button').click();
		const dialog = this.part('editCredential-modal');
		await dialog.getByText('Connection tested successfully').waitFor();
		await this.page.addStyleTag({
			content:
				'[data-test-id="editCredential-modal"] { max-height: none !important } textarea { min-height: 232px !important }',
		});
		return dialog;
	}

	/** Saves the credential, waits until n8n's test of it has failed, and unfolds what n8n tells of that. */
	async saveRefused(): Promise<Locator> {
		await this.part('credential-save-button').click();
		const dialog = this.part('editCredential-modal');
		const more = dialog.getByText('More details');
		await more.waitFor();
		// A click misses while the dialog is still growing.
		await until(async () => {
			if (await more.isVisible()) await more.click();
			await this.page.waitForTimeout(TYPING_PAUSE_MS);
			return !(await more.isVisible());
		});
		return dialog;
	}

	/** Waits until the test of the credential has passed; n8n 2.x closes the dialog then. */
	async closeCredential(): Promise<void> {
		const dialog = this.part('editCredential-modal');
		const passed = dialog.getByText('Connection tested successfully');
		const close = dialog.locator('.el-dialog__headerbtn');
		await until(async () => {
			// n8n may close it first.
			if (await passed.isVisible()) await close.click({ timeout: 1000 }).catch(() => undefined);
			return !(await dialog.isVisible());
		});
		await this.page.setViewportSize(VIEWPORT);
	}

	/** Returns the size at which n8n shows a workflow that it has opened: 1 is full size. */
	async zoom(): Promise<number> {
		await this.page.waitForTimeout(ZOOMING_MS);
		const pane = this.page.locator('.vue-flow__transformationpane');
		return Number(/scale\(([\d.]+)\)/.exec((await pane.getAttribute('style')) ?? '')?.[1]);
	}

	/** Returns the first lines of the notes that are too small for their text. */
	async cutOffNotes(): Promise<string[]> {
		return await this.page.evaluate<string[]>(FIND_CUT_OFF_NOTES);
	}

	/** Returns the tables of an HTML text as rows of texts. */
	async tableIn(html = ''): Promise<string[][]> {
		const page = await this.page.context().newPage();
		await page.setContent(html);
		const rows = await page.locator('table tr').all();
		return await Promise.all(
			rows.map(async (row) => await row.locator('th, td').allTextContents()),
		);
	}

	/** Takes a PNG image of a part of the page, without volatile texts and overlays. */
	async picture(
		part: string | Locator,
		{ left = 0, top = 0, width, height }: Crop = {},
	): Promise<Buffer> {
		const locator = typeof part === 'string' ? this.part(part) : part;
		const box = await locator.boundingBox();
		if (!box) throw new Error(`The page has no ${locator}`);
		// The page behind shows through at the edge.
		const edge = 1;
		return await this.screenshot({
			x: box.x + left + edge,
			y: box.y + top + edge,
			width: width ?? box.width - left - 2 * edge,
			height: height ?? box.height - top - 2 * edge,
		});
	}

	/** Repeats until two images are equal, since n8n loads and animates some parts late. */
	private async screenshot(clip: NonNullable<PageScreenshotOptions['clip']>): Promise<Buffer> {
		await this.page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
		await this.page.mouse.move(0, 0);
		await this.page.waitForFunction('[...document.images].every(({ complete }) => complete)');
		let image = Buffer.alloc(0);
		await until(async () => {
			const before = image;
			await this.page.evaluate(FIX_VOLATILE_TEXTS);
			image = await this.page.screenshot({
				clip,
				animations: 'disabled',
				caret: 'hide',
				style: `${OVERLAYS} { display: none !important }`,
			});
			return image.equals(before);
		});
		return image;
	}
}

/** In pixels. */
export type Crop = Partial<Record<'left' | 'top' | 'width' | 'height', number>>;
