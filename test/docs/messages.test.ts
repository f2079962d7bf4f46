import { lexer, type Token, type Tokens } from 'marked';
import { ANSWER_FAULTS, TYPE_FAULTS, VALUE_FAULTS } from '../../texts/faults';
import { FIELD_FAULTS, LINE_FAULTS } from '../../texts/fieldFaults';
import { AquacultureApi } from '../../credentials/AquacultureApi.credentials';
import { Aquaculture } from '../../nodes/Aquaculture/Aquaculture.node';
import { AquacultureTrigger } from '../../nodes/Aquaculture/AquacultureTrigger.node';
import { LOGIN, MESSAGES, SENTENCES, type FailureText, type Limit } from '../../texts/messages';
import { JARGON } from '../jargon';
import { PAGES, plainText } from './pages';

/**
 * Parameters for the entries of a table; an entry that can sound different has several. One that is left out takes at most a
 * subject and what such documents are called.
 */
type Samples<Table> = {
	[Key in keyof Table]?: Table[Key] extends (...parameters: infer Parameters) => unknown
		? Parameters[]
		: Samples<Table[Key]>;
};

type Entries<Said> = Record<string, (...parameters: never[]) => Said>;

const SITE = 'site 1001';
const SITES = { one: 'site', many: 'sites' };
const STAFF = { username: 'staff', password: 'secret' };
const LIMIT: Limit = { requestsPerMinute: 100, cause: 'number' };
const STOPPED: Limit = { ...LIMIT, cause: 'stopped' };
const LOWERED: Limit = { ...LIMIT, cause: 'lowered' };
const ORIGIN = 'https://data.example.com';
const ACTIONS = { isTool: false, hasItems: true };
const MINUTE_MS = 60_000;

/** What is wrong with a value, for a request or as it was typed. */
const TYPED_FAULTS = { ...VALUE_FAULTS, ...FIELD_FAULTS };
const TYPED_SAMPLES: Samples<typeof TYPED_FAULTS> = {
	notWholeNumber: [['17-4']],
	idTooLarge: [['99999999999999999']],
	idSpelling: [['1 001']],
	notIdList: [[{ a: 1 }]],
	notIds: [[['17-4']], [['17-4', '17-5']], [['17-4', '17-5', '17-6', '17-7', '17-8']]],
	idSpellings: [[['7 100']], [['1 001', '007']]],
	severalSites: [['1001, 1002']],
	unknownName: [['Storvegen', ['Storvågen'], { byName: true, isTool: false, hasList: false }]],
	sharedName: [['Nordvik', [1002, 1005]]],
	notText: [[7]],
	notDate: [['2025']],
	countOutside: [[0, 1, 20]],
	secondsOutside: [[0, 3600]],
	minutesOutside: [[-1, 1440]],
	notSwitch: [['yes']],
	notChoices: [[7]],
	unknownChoice: [['owner']],
	headerInUse: [['Authorization']],
};
const NO_SITES = ANSWER_FAULTS.noSites(['message', 'total']);
const UNUSABLE_IDS = ANSWER_FAULTS.unusableIds(['01001']);
const ANSWER_SAMPLES: Samples<typeof ANSWER_FAULTS> = {
	noSiteFields: [[['siteId', 'siteName', 'info', 'units']]],
	noSites: [[['message', 'total']]],
	unusableIds: [[['01001']]],
	otherSite: [[1002]],
	field: Object.values(TYPE_FAULTS).map((fault) => ['siteName', fault]),
};
const breachSubject = (fault: string) =>
	[NO_SITES, UNUSABLE_IDS].includes(fault) ? 'the list of sites' : SITE;
const breachOf = (fault: string) => MESSAGES.answer.breach(breachSubject(fault), fault);
/** A line of 'Known Sites' that has the fault, below a first line "1001 Storvågen". */
const LINES: Record<keyof typeof LINE_FAULTS, string> = {
	noId: 'Storvågen 1001',
	repeatedId: '1001 Storvågen',
	repeatedName: '1002 Storvågen',
};
const LINE = { line: 3, text: 'Nordvik 1002', fault: LINE_FAULTS.noId(), isLeftOut: true };
const fieldFaults = rendered(TYPED_FAULTS, TYPED_SAMPLES);

const SAMPLES: Samples<typeof MESSAGES> = {
	login: {
		refused: [[STAFF], [{ username: ' staff ', password: 'secret ' }]],
		notAccepted: [[422, STAFF]],
		otherHeader: [[400, 'Service-Version', STAFF]],
		notFound: [
			[ORIGIN, ORIGIN],
			[`${ORIGIN}/auth/token`, ORIGIN],
		],
	},
	credential: {
		field: fieldFaults.map((fault) => ['Base URL', fault]),
		knownSites: Object.entries(LINE_FAULTS).map(([key, fault]) => [
			[
				{ ...LINE, text: LINES[key as keyof typeof LINES], fault: fault(1) },
				{ ...LINE, line: 5 },
			],
		]),
		domains: [[ORIGIN]],
		otherAddress: [[ORIGIN]],
	},
	connection: {
		refused: [[LOGIN], [SITE]],
		unknownHost: [[LOGIN]],
		noNameServer: [[LOGIN]],
		unreachable: [[LOGIN]],
		broken: [[LOGIN]],
		timedOut: [[LOGIN]],
		expired: [[LOGIN]],
		otherName: [[LOGIN]],
		untrusted: [[LOGIN]],
		notHttps: [[LOGIN]],
		notHttp: [[LOGIN]],
		notSent: [[SITE, ['The domain is not allowed']]],
	},
	status: {
		severalUnknown: [[['1006', 'Storvågen (1007)'], SITES]],
		fault: [
			[SITE, 503],
			[LOGIN, 503],
		],
		redirect: [[SITE, 'https://data.example.net']],
		other: [[SITE, 418]],
	},
	answer: {
		tooLarge: [[SITE, 16 * 1024 * 1024]],
		breach: rendered(ANSWER_FAULTS, ANSWER_SAMPLES).map((fault) => [breachSubject(fault), fault]),
		unprocessed: [[SITE, 'it is not iterable']],
	},
	siteList: {
		unread: [
			[MESSAGES.status.forbidden('the list of sites'), false],
			[MESSAGES.status.unprocessable('the list of sites'), true],
		],
		untestable: [[MESSAGES.siteList.unknown()]],
	},
	limits: {
		tookTooLong: [
			[SITE, 30_000],
			[LOGIN, MINUTE_MS],
		],
		triesTookTooLong: [[SITE, 30_000]],
		planTooLong: [[250, SITES, LIMIT, { planMs: 3 * MINUTE_MS, maxWaitMs: MINUTE_MS }]],
		noPlace: [[SITE, LIMIT, MINUTE_MS]],
		reached: [[LIMIT, 40_000]],
	},
	node: {
		field: fieldFaults.map((fault) => ['Site', fault, ACTIONS]),
		customApiCall: [[]],
		operation: [['getPens']],
	},
	trigger: {
		noneKnown: [[[1001]], [[1001, 1002, 1003]]],
		forgotten: [[], [[1001]], [[1001, 1003]]],
		linesLeftOut: [[[LINE]], [[LINE, LINE]]],
		several: [[3]],
		noneRead: [[24, SITE, MESSAGES.connection.refused(SITE)]],
		unread: [false, true].flatMap((isActivation) =>
			[[1001], Array.from({ length: 12 }, (_, index) => 1001 + index)].map(
				(siteIds): Parameters<typeof MESSAGES.trigger.unread> => [
					siteIds,
					120,
					{ isActivation, polls: 2, requestsPerMinute: 50 },
				],
			),
		),
	},
	log: {
		longRun: [[300, SITES, 4 * MINUTE_MS]],
		readAgain: [[[1001]], [[1001, 1003]], [['login']]],
	},
	hints: {
		readOnce: [[300]],
		onlyOneMissing: [[SITES]],
		allMissing: [[3, SITES]],
		someMissing: [
			[['1006'], 3, SITES],
			[['1006', 'Storvågen (1007)'], 400, SITES],
			[Array.from({ length: 12 }, (_, index) => String(1006 + index)), 400, SITES],
		],
		failed: [
			[2, 4, SITES],
			[1, 1, SITES],
		],
		absent: [
			['units', 2, 10, SITES],
			['units', 1, 1, SITES],
		],
		noItems: [
			['units', ['1020', 'Vik (1021)'], 24, SITES],
			['units', ['1020'], 24, SITES],
			['units', ['1020'], 1, SITES],
		],
		readForEach: [[3]],
		linesLeftOut: [[[LINE]], [[LINE, { ...LINE, line: 5, text: '1 001 Storvågen' }]]],
		unusableEntries: [[['01002']], [['01002', '01003']]],
		limited: [[50, 300]],
		otherFields: [[]],
		repeated: [[1], [7]],
		waited: [[250, SITES, 3 * MINUTE_MS, 100]],
		waitedForOthers: [[12, SITES, 40_000, 100]],
		refusedBefore: [[12, SITES, 4 * MINUTE_MS]],
		refused: [[250, SITES, 4 * MINUTE_MS, 3]],
	},
};
const SENTENCE_SAMPLES: Samples<typeof SENTENCES> = {
	limit: [[LIMIT], [STOPPED], [LOWERED]],
	waitAsked: [
		[1000, false],
		[1000, true],
	],
	sent: [[2]],
	serviceSays: [['Locked'], ['Locked.']],
	traceId: [['00-1']],
	failed: [
		[undefined, { message: 'It happened', description: 'Do this.' }],
		['site 1001', { message: 'It happened', description: 'Do this.' }],
	],
	goOn: [[SITES]],
	sameFor: [[[1006]], [[1006, 1007]]],
};

/** What the entries of a table say of their samples. */
function rendered<Said>(table: Entries<Said>, samples: Record<string, unknown[][]> = {}): Said[] {
	return Object.entries(table).flatMap(([key, say]) =>
		(samples[key] ?? [[SITE, SITES]]).map((parameters) => say(...(parameters as never[]))),
	);
}

const all = Object.entries(MESSAGES).flatMap(([group, table]) =>
	rendered<FailureText | string>(table, SAMPLES[group as keyof typeof MESSAGES]),
);
const failures = all.filter((said) => typeof said !== 'string');
const messageOf = (said: FailureText | string) => (typeof said === 'string' ? said : said.message);
const messages = all.map(messageOf);

/** The messages on the page, a line each; those of a row have the same advice. What is filled in is in italics there. */
const listed = (PAGES.find(({ file }) => file === 'docs/messages.md')?.tablesOf('Message') ?? [])
	.flatMap(({ rows }) => rows.flatMap(([cell]) => (cell?.text ?? '').split('<br>')))
	.map((markdown) => plainText((lexer(markdown) as Token[] as [Tokens.Paragraph])[0]));

/** What each entry of a table says, in all forms of its samples. */
function formsOf<Said>(table: Entries<Said>, samples?: Record<string, unknown[][]>): Said[][] {
	return Object.entries(table).map(([key, say]) => rendered({ [key]: say }, samples));
}

/** Entries that say something else for each fault that was found. */
const OF_FAULTS = ['field', 'breach', 'knownSites'];

/** The forms of each message: the page has one of them. */
const forms = [
	...Object.entries(MESSAGES).flatMap(([group, table]) => {
		const own = Object.entries(table).filter(([key]) => !OF_FAULTS.includes(key));
		return formsOf<FailureText | string>(
			Object.fromEntries(own) as Entries<FailureText | string>,
			SAMPLES[group as keyof typeof MESSAGES],
		);
	}),
	...formsOf(TYPED_FAULTS, TYPED_SAMPLES).map((faults) =>
		faults.map((fault) => MESSAGES.node.field('Site', fault, ACTIONS)),
	),
	...formsOf(ANSWER_FAULTS, ANSWER_SAMPLES).map((faults) => faults.map(breachOf)),
	...rendered({ knownSites: MESSAGES.credential.knownSites }, SAMPLES.credential).map((said) => [
		said,
	]),
].map((said) => said.map(messageOf));

describe('docs/messages.md', () => {
	// The page names one field for each fault, the credential's if only it can have the fault.
	const withoutLabel = (message: string) =>
		message.replace(/^'[A-Z][\w ()]+'(?= (?!in the))/, "'…'");

	it('has every message, in one of its forms at least', () => {
		const known = new Set(listed.map(withoutLabel));
		const absent = forms.filter((said) => !said.map(withoutLabel).some((text) => known.has(text)));

		expect(forms.length).toBeGreaterThan(80);
		expect(absent.map(([first]) => first)).toEqual([]);
	});

	it('has no message that nothing says', () => {
		const said = new Set(messages.map(withoutLabel));

		expect(listed.filter((text) => !said.has(withoutLabel(text)))).toEqual([]);
	});

	it('has each message once', () => {
		const known = listed.map(withoutLabel);

		expect(known.filter((message, index) => known.indexOf(message) !== index)).toEqual([]);
	});
});

describe('a message', () => {
	const sentences = [
		...failures.map(({ description }) => description),
		...rendered(SENTENCES, SENTENCE_SAMPLES),
	];

	it('is a clause, with advice in sentences below it', () => {
		expect(messages.filter((message) => !/^['A-Z\dn].*[^.]$/.test(message))).toEqual([]);
		expect(sentences.filter((text) => !/^['A-Z].*\.["']?$/.test(text))).toEqual([]);
	});

	it('has a sample of everything that is filled in', () => {
		const texts = [...messages, ...sentences];

		expect(texts.filter((text) => /undefined|\[object|NaN/.test(text))).toEqual([]);
	});

	it('is in plain words', () => {
		// n8n has a setting and failed items have a field with such names.
		const words = [...messages, ...sentences].map((text) =>
			text.replaceAll("'On Error'", '').replaceAll("'error'", ''),
		);

		expect(words.filter((text) => JARGON.test(text))).toEqual([]);
	});

	it('names fields as the panel shows them', () => {
		const properties = [
			...new AquacultureApi().properties,
			...new Aquaculture().description.properties,
			...new AquacultureTrigger().description.properties,
		];
		const known = new Set([
			...properties.flatMap(({ displayName, options = [], modes = [] }) => [
				displayName,
				...modes.map((mode) => mode.displayName),
				...options.map((option) => ('displayName' in option ? option.displayName : option.name)),
			]),
			'On Error',
			'Execute Once',
			'Allowed HTTP Request Domains',
		]);
		const named = [...messages, ...sentences].flatMap((text) =>
			[...text.matchAll(/'([A-Z][^']*)'/g)].map(([, name = '']) => name),
		);

		expect(named.length).toBeGreaterThan(50);
		expect(named.filter((name) => !known.has(name))).toEqual([]);
	});

	it('names no field that some operation does not have', () => {
		expect(sentences.filter((text) => /'(?:Include |Additional|Simplify)/.test(text))).toEqual([]);
	});
});
