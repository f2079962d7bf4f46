import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { chromium, selectors, type Locator, type Page, type ViewportSize } from 'playwright-core';
import { OWNER, type N8nInstance } from './instance';
import type { Stage } from '../stage';
import { until } from '../wait';
import { programOf } from '../servers/programs';

const FLAGS = [
	'--no-sandbox',
	'--disable-gpu',
	'--disable-quic',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
];

/** Without the fonts that happen to be installed: letters in pictures are to look the same everywhere. */
const FONTS = path.join(__dirname, 'fonts.conf');

/** Beside other tests, a page may need much longer than it usually does. */
const LONGEST_WAIT_MS = 60_000;

/** n8n takes over what is typed a tenth of a second later. */
const TYPING_PAUSE_MS = 300;

/** What is shown around the nodes of a workflow, in pixels: their names stand below them, and where to go on beside. */
const CANVAS_MARGINS = { top: 32, side: 88, bottom: 88 };

/** n8n moves the canvas smoothly. */
const ZOOMING_MS = 1000;

/** So wide that the buttons above the panels have room. */
const VIEWPORT = { width: 1440, height: 800 };
/** So large that the notes of an example can be read if all of it fits. */
const WHOLE_WORKFLOW = { width: 1900, height: 900 };
/** Pictures are as sharp as on a good screen. */
const PIXELS_A_POINT = 2;

/** What lies above the page, and is no part of what a picture shows. */
const OVERLAYS = [
	'.el-notification',
	'.n8n-tooltip',
	'[data-test-id="floating-nodes"]',
	'[data-test-id^="execute-workflow-button"]',
	'[data-test-id="canvas-controls"]',
].join();

/** What is different in each run, and what a picture shows in its place. */
const PASSING = [
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
/** When a person has started runs, the newest first. The space that does not break keeps them from being replaced again. */
const RUNS = ['Jan\u00a06, 14:25:40', 'Jan\u00a06, 14:24:15', 'Jan\u00a06, 14:22:05'];
const FIX_PASSING_TEXTS = `window.runs ??= [];
const runTime = (began) => {
	if (!window.runs.includes(began)) window.runs.push(began);
	return ${JSON.stringify(RUNS)}[window.runs.indexOf(began)];
};
for (const texts = document.createTreeWalker(document.body, 4); texts.nextNode();) {
	const text = texts.currentNode;
	let fixed = text.data.replace(/[A-Z][a-z]{2} \\d{1,2}, \\d\\d:\\d\\d:\\d\\d/g, runTime);
	for (const [passing, shown] of ${JSON.stringify(PASSING)}) {
		fixed = fixed.replace(new RegExp(passing, 'g'), shown);
	}
	if (fixed !== text.data) text.data = fixed;
}`;

selectors.setTestIdAttribute('data-test-id');

/** n8n's editor in a browser, used as a person does. */
export class Editor {
	private constructor(
		readonly page: Page,
		private readonly address: string,
	) {}

	/**
	 * Opens the editor, in a browser that ends with the stage, and signs in as the owner.
	 *
	 * @param formLogin what is typed if a form asks for a login.
	 */
	static async open(
		stage: Stage,
		n8n: N8nInstance,
		formLogin?: { user: string; password: string },
	): Promise<Editor> {
		const browser = await chromium.launch({
			executablePath: programOf('chromium'),
			args: FLAGS,
			env: { ...process.env, FONTCONFIG_FILE: FONTS } as Record<string, string>,
		});
		await stage.add(async () => await browser.close());
		const context = await browser.newContext({
			viewport: VIEWPORT,
			deviceScaleFactor: PIXELS_A_POINT,
			...(formLogin && {
				httpCredentials: { username: formLogin.user, password: formLogin.password },
			}),
		});
		const page = await context.newPage();
		page.setDefaultTimeout(LONGEST_WAIT_MS);
		const editor = new Editor(page, n8n.address);
		await page.goto(`${n8n.address}/signin`);
		await page.locator('input[type="email"], input[autocomplete="email"]').fill(OWNER.email);
		await page.locator('input[type="password"]').fill(OWNER.password);
		await page.getByRole('button', { name: 'Sign in' }).click();
		await page.waitForURL(/home|workflow/);
		return editor;
	}

	/** Begins a workflow that is started by a button. */
	async newWorkflow(): Promise<void> {
		await this.beginWorkflow('manual');
		await this.found('Manual').click();
	}

	/** Opens a new workflow, and searches for its first step. */
	async beginWorkflow(text: string): Promise<void> {
		await this.page.goto(`${this.address}/workflow/new`);
		await this.part('canvas-add-button').click();
		await this.search(text);
	}

	/** Opens the canvas of a stored workflow, whatever is open. */
	async openWorkflow(id: string, size: ViewportSize = VIEWPORT): Promise<void> {
		await this.page.setViewportSize(size);
		await this.page.goto(`${this.address}/workflow/${id}`);
		await this.part('canvas-node').first().waitFor();
	}

	/** Opens an address of its own, such as that of a form, with the login that a form asks for. */
	async newTab(address: string): Promise<Page> {
		const page = await this.page.context().newPage();
		await page.goto(address);
		return page;
	}

	/** Waits until the workflow has run. */
	async executed(): Promise<void> {
		await this.page
			.locator('[data-test-id="execute-workflow-button"]:not([disabled])')
			.first()
			.waitFor();
	}

	/** Opens the list of nodes that come next. */
	async openNodeCreator(): Promise<void> {
		await this.part('node-creator-plus-button').click();
	}

	/** Opens the list of nodes that an agent can use as a tool. */
	async openToolCreator(): Promise<void> {
		await this.page
			.locator('[data-test-id="canvas-node-input-handle"][data-connection-type="ai_tool"]')
			.getByTestId('canvas-handle-plus')
			.click();
	}

	/** Saves the open workflow. */
	async save(): Promise<void> {
		await this.page.keyboard.press('Control+S');
	}

	/** Types into the search bar of the list of nodes, and waits until the list is another one. */
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
	async fill(name: string, text: string): Promise<void> {
		await this.field(name).fill(text);
		await this.field(name).press('Tab');
		await this.page.waitForTimeout(TYPING_PAUSE_MS);
	}

	/** Has a field show a text for a picture, without typing it. */
	async show(name: string, text: string): Promise<void> {
		await this.field(name).evaluate((field: { value: string }, shown) => {
			field.value = shown;
		}, text);
	}

	/** The switch of a parameter. */
	switch(name: string): Locator {
		return this.part(`parameter-input-${name}`).locator('.el-switch');
	}

	/** A part of the page, by the name that n8n gives it for tests. */
	part(name: string): Locator {
		return this.page.getByTestId(name);
	}

	/** Chooses from the list of a field that has a list. */
	async choose(name: string, label: string): Promise<void> {
		const list = this.part(`parameter-input-${name}`).locator('.el-select').first();
		// Until n8n has loaded its entries.
		await list.locator('input[disabled]').waitFor({ state: 'detached' });
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
	private async pick(label: string): Promise<void> {
		await this.page
			.locator('.el-select-dropdown__item:visible')
			.filter({ hasText: label })
			.first()
			.click();
		await this.page.waitForTimeout(TYPING_PAUSE_MS);
	}

	/** Chooses how the site is named: `list`, `id` or `name`. */
	async chooseMode(mode: string): Promise<void> {
		await this.part('rlc-mode-selector').click();
		await this.part(`mode-${mode}`).click();
	}

	/** Opens the list of sites, and types into its search bar. */
	async searchSites(text: string): Promise<void> {
		await this.part('rlc-input').click();
		await this.part('rlc-item').first().waitFor();
		await this.part('rlc-search').fill(text);
	}

	/** Drags a field of the input into the field of the site. */
	async dragToSite(field: string): Promise<void> {
		const from = this.part('ndv-input-panel').getByText(field, { exact: true }).first();
		await this.drag(await middleOf(from), await middleOf(this.part('rlc-input')));
	}

	/** Makes the output as wide as it can be. */
	async widenOutput(): Promise<void> {
		const from = await middleOf(this.part('panel-drag-button'));
		await this.drag(from, { x: 0, y: from.y });
	}

	private async drag(from: Point, to: Point): Promise<void> {
		const { mouse } = this.page;
		await mouse.move(from.x, from.y);
		await mouse.down();
		await mouse.move(to.x, to.y, { steps: 12 });
		await this.page.waitForTimeout(TYPING_PAUSE_MS);
		await mouse.up();
		await this.page.waitForTimeout(TYPING_PAUSE_MS);
	}

	/** Runs the open node and waits until it has run. */
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

	/** Opens the dialog of a new credential for the open node. */
	async createCredential(): Promise<void> {
		const select = this.part('node-credentials-select');
		await this.page.getByText('Connect to Aquaculture').or(select).click();
		// n8n 1.x offers a list.
		if (await select.isVisible()) await this.page.getByText('Create new credential').click();
	}

	/** Saves the credential, which n8n then tests. */
	async saveCredential(): Promise<void> {
		await this.part('credential-save-button').click();
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

	/** Waits until the test of the credential has failed, and unfolds what n8n tells of it. */
	async unfoldRefusal(): Promise<Locator> {
		const dialog = this.part('editCredential-modal');
		const more = dialog.getByText('More details');
		await more.waitFor();
		// A click that meets the dialog while it is still growing goes astray.
		await until(async () => {
			if (await more.isVisible()) await more.click();
			await this.page.waitForTimeout(300);
			return !(await more.isVisible());
		});
		return dialog;
	}

	/** Waits until the test of the credential has passed; n8n 2.x closes the dialog then. */
	async closeCredential(): Promise<void> {
		const dialog = this.part('editCredential-modal');
		const passed = dialog.getByText('Connection tested successfully');
		await until(async () => !(await dialog.isVisible()) || (await passed.isVisible()));
		if (await dialog.isVisible()) await dialog.locator('.el-dialog__headerbtn').click();
		await dialog.waitFor({ state: 'hidden' });
		await this.page.setViewportSize(VIEWPORT);
	}

	/** A part of the page as a PNG image, without what moves, passes or lies above it. */
	async picture(
		part: string | Locator,
		{ left = 0, top = 0, width, height }: Crop = {},
	): Promise<Buffer> {
		const locator = typeof part === 'string' ? this.part(part) : part;
		const box = await locator.boundingBox();
		if (!box) throw new Error(`The page has no ${locator}`);
		const clip = {
			x: box.x + left,
			y: box.y + top,
			width: width ?? box.width - left,
			height: height ?? box.height - top,
		};
		return await this.screenshot(clip);
	}

	/** A page of HTML as a PNG image. */
	async render(html: string, width: number): Promise<Buffer> {
		const browser = this.page.context().browser();
		if (!browser) throw new Error('The browser has been closed');
		const page = await browser.newPage({
			viewport: { width, height: 100 },
			deviceScaleFactor: PIXELS_A_POINT,
		});
		await page.setContent(html);
		const image = await page.screenshot({ fullPage: true });
		await page.close();
		return image;
	}

	/** All nodes and sticky notes of a stored workflow, as a PNG image. */
	async canvasPicture(workflow: string): Promise<Buffer> {
		await this.openWorkflow(workflow, WHOLE_WORKFLOW);
		return await this.nodesPicture();
	}

	/**
	 * All nodes and sticky notes as they are on the canvas now, after a run for example, as a PNG image.
	 *
	 * @param side what is shown at either side of them, in pixels.
	 */
	async nodesPicture(side = CANVAS_MARGINS.side): Promise<Buffer> {
		// n8n's key for making everything fit.
		await this.page.keyboard.press('1');
		await this.page.waitForTimeout(ZOOMING_MS);
		return await this.screenshot(surround(await this.boxesOfNodes(), side));
	}

	/** Where the nodes are on the page, once they have come to rest. */
	private async boxesOfNodes(): Promise<Box[]> {
		const nodes = this.page.locator('.vue-flow__node');
		let boxes: Box[] = [];
		await until(async () => {
			const before = boxes;
			const found = (await nodes.all()).map(async (node) => await node.boundingBox());
			boxes = (await Promise.all(found)).filter((box) => box !== null);
			return isDeepStrictEqual(boxes, before);
		});
		return boxes;
	}

	/** Takes pictures until two in a row are equal, since n8n loads and moves some things after the rest. */
	private async screenshot(clip: Box): Promise<Buffer> {
		await this.page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
		await this.page.mouse.move(0, 0);
		await this.page.waitForFunction('[...document.images].every(({ complete }) => complete)');
		let image = Buffer.alloc(0);
		await until(async () => {
			const before = image;
			await this.page.evaluate(FIX_PASSING_TEXTS);
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

/** What of a part is shown, in pixels. */
export interface Crop {
	left?: number;
	top?: number;
	width?: number;
	height?: number;
}

type Point = Pick<Box, 'x' | 'y'>;

async function middleOf(locator: Locator): Promise<Point> {
	const box = await locator.boundingBox();
	if (!box) throw new Error(`The page has no ${locator}`);
	return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

interface Box {
	x: number;
	y: number;
	width: number;
	height: number;
}

function surround(boxes: readonly Box[], side: number): Box {
	const { top, bottom } = CANVAS_MARGINS;
	const x = Math.min(...boxes.map((box) => box.x)) - side;
	const y = Math.min(...boxes.map((box) => box.y)) - top;
	const right = Math.max(...boxes.map((box) => box.x + box.width)) + side;
	const end = Math.max(...boxes.map((box) => box.y + box.height)) + bottom;
	return { x, y, width: right - x, height: end - y };
}
