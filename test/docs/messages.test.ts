import { lexer, type Token, type Tokens } from 'marked';
import { Budget } from '../../shared/budget/budget';
import { describeClosed } from '../../shared/budget/closed';
import { Lane } from '../../shared/budget/lane';
import { checkConnection } from '../../shared/connection';
import { describeConnectionFailure } from '../../shared/connectionFailures';
import { checkSiteId, checkSiteIds } from '../../api/parameters';
import { checkSite } from '../../api/site';
import { hintsOf, type Summary } from '../../nodes/Aquaculture/hints';
import {
	describeBreach,
	describeNoConnection,
	describeNoTurn,
	describeOutOfTime,
	describePlan,
	describeSiteStatus,
	describeTimeout,
	describeTooLarge,
} from '../../nodes/Aquaculture/transport/failure';
import {
	checkCount,
	checkMinutes,
	checkSeconds,
	checkSwitch,
} from '../../nodes/Aquaculture/fields/checks';
import { PAGES } from './pages';
import { JARGON, spokenTexts, type SpokenText } from './spokenTexts';

/** An execution that had to wait. */
const WAITED: Summary = {
	sites: 3,
	missing: 0,
	repeatedRequests: 0,
	refusedRequests: 0,
	waitedMs: 5000,
	tookMs: 6000,
	requestsPerMinute: 100,
};

/** Stands for what is filled in. */
const FILLED = '\uFFFC';

const page = PAGES.find(({ file }) => file === 'docs/messages.md');
const messages = (page?.tablesOf('Message') ?? []).flatMap(({ rows }) =>
	rows.flatMap(([cell]) => messagesIn(cell?.text ?? '')),
);
const texts = spokenTexts();

/** The messages of a cell, one a line; what is filled in stands in italics. */
function messagesIn(cell: string): string[] {
	return cell.split('<br>').map((markdown) => {
		const [paragraph] = lexer(markdown) as Token[] as [Tokens.Paragraph];
		return paragraph.tokens
			.map((token) => (token.type === 'em' ? FILLED : (token as Tokens.Text).text))
			.join('');
	});
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** What a text looks like on the page. */
function patternOf({ parts }: SpokenText): string {
	return parts.map(escaped).join('(.*?)');
}

/** Whether the code can say it: it is a text of the code, and what is filled in is filled in or is such a text again. */
function canBeSaid(said: string): boolean {
	if (said.replaceAll(FILLED, '').trim() === '') return true;
	if (said.startsWith(FILLED) && canBeSaid(said.slice(FILLED.length))) return true;
	return texts.some((text) => {
		const match = new RegExp(`^${patternOf(text)}$`, 's').exec(said);
		return match?.slice(1).every((filled) => filled !== said && canBeSaid(filled)) ?? false;
	});
}

/** Whether the page has this very message. */
function isListed(message: string): boolean {
	return messages.some((listed) =>
		new RegExp(`^${listed.split(FILLED).map(escaped).join('.+')}$`, 's').test(message),
	);
}

describe('docs/messages.md', () => {
	it('has every message that the code can produce', () => {
		const labels = new Set(
			texts.flatMap(({ parts }) => parts).filter((part) => /^[A-Z]/.test(part) && isLabel(part)),
		);
		const absent = texts
			.filter(({ parts: [only = '', ...more] }) => more.length > 0 || !labels.has(only))
			.filter((text) => !messages.some((listed) => new RegExp(patternOf(text), 's').test(listed)))
			.map(({ parts, place }) => `${parts.join('…')}  (${place})`);

		expect(absent).toEqual([]);
	});

	it('has no message that the code cannot produce', () => {
		expect(messages.length).toBeGreaterThan(80);
		expect(messages.filter((message) => !canBeSaid(message))).toEqual([]);
	});

	it('has messages in plain words', () => {
		const jargon = texts.filter(({ parts }) => JARGON.test(parts.join('…')));

		expect(jargon.map(({ parts, place }) => `${parts.join('…')}  (${place})`)).toEqual([]);
	});

	it('has each message once', () => {
		expect(messages.filter((message, index) => messages.indexOf(message) !== index)).toEqual([]);
	});

	it('has what the functions say that make the messages', () => {
		const site = 'site 7';
		const keep = (text: string) => text;
		const said = [
			...Array.from({ length: 300 }, (_, index) => describeSiteStatus(300 + index, {}, site, keep)),
			describeSiteStatus(302, { location: 'https://example.com' }, site, keep),
			describeTimeout(site, 30_000),
			describeOutOfTime(site, 45_000),
			describeTooLarge(site, 16 * 1024 * 1024),
			...[[], { siteId: 8 }, { other: 1 }, { units: 1 }].map((body) =>
				describeBreach(checkSite(body, 7).fault ?? '', site),
			),
			...['ECONNREFUSED', 'EAI_AGAIN', 'EPROTO', 'HPE_X', 'CERT_HAS_EXPIRED', ''].flatMap(
				(code) => [describeConnectionFailure(code)],
			),
			...[
				{ missing: 1, repeatedRequests: 2 },
				{ missing: 3, repeatedRequests: 1 },
				{ refusedRequests: 1 },
				{ refusedRequests: 2 },
				{ requestsPerMinute: 1 },
			].flatMap((summary) => hintsOf({ ...WAITED, ...summary })),
			describePlan(250, 100, 120_000),
			describeNoTurn(site, new Budget(), new Lane()),
			describeClosed(new Budget(), new Lane()),
			...[{}, { baseUrl: 'x' }, { baseUrl: 'http://example.com' }, { baseUrl: 'https://a/?b' }].map(
				(credential) => ({ message: checkConnection(credential).fault ?? '' }),
			),
			...[
				checkSiteId('x'),
				checkSiteIds(['x']),
				checkSiteIds('x y'),
				checkSiteId('1 001'),
				checkSiteIds('7 100'),
				checkSiteIds('1 001, 007'),
				checkCount(0, 20),
				checkMinutes(-1, 1440),
				checkSeconds(0, 3600),
				checkSwitch(7),
			].map(({ fault }) => ({ message: `The 'Some' parameter ${fault}` })),
		].map(({ message }) => message);

		expect(said.filter((message) => !isListed(message))).toEqual([]);
		expect(describeNoConnection('ECONNREFUSED', site).message).toBe(
			'The service refused the connection, so site 7 was not read',
		);
	});
});

/** The name of a field: words that begin with capitals. */
function isLabel(text: string): boolean {
	return /^[A-Z]\w*(?: (?:[A-Z]\w*|per|on))+$/.test(text);
}
