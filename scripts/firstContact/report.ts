import { ASSUMPTIONS } from './assumptions';
import { MAX_REQUESTS, PROBES, probeOf, type Answer, type Contact, type Target } from './contact';
import { factsOf, SITE_FIELDS, sitesIn, typesOf } from './facts';
import { secretsOf, shownHeaders, typeOf } from './redact';

/**
 * What was seen, in Markdown, as it may be shown in public.
 *
 * @param heading when and with which versions the contact was made.
 */
export function reportOf(contact: Contact, target: Target, heading: string): string {
	const { answers, end } = contact;
	const { tokenVersion, dataVersion } = target.connection;
	const sent = `${answers.length} of ${Object.keys(PROBES).length} requests were sent (never more than ${MAX_REQUESTS})`;
	const sites = sitesIn(contact);
	const fields = Object.entries(SITE_FIELDS).map(([path, documented]) => [
		`\`${path}\``,
		documented,
		typesOf(sites, path).join(' or '),
	]);
	return [
		'## First contact with the service',
		`${heading}. Versions sent: ${tokenVersion} with a login, ${dataVersion} with the rest. ${sent}. ${end ?? ''}`.trim(),
		'The report contains no password, token, address, name of the version header or data of a site, and no name of a field that is not documented.',
		section(
			'What is assumed',
			['Left open', 'Assumed', 'Seen', 'Verdict'],
			findingsOf(contact, target),
		),
		section(
			'Requests',
			['Number', 'Request', 'Status', 'Milliseconds', 'Body', 'Remarks'],
			answers.map(requestRow),
		),
		section('Fields of a site', ['Field', 'Documented', 'Seen'], sites.length > 0 ? fields : []),
		section('Headers', ['Header', 'Value', 'Requests'], headerRows(contact, target)),
	]
		.filter((part) => part !== '')
		.join('\n\n');
}

function findingsOf(contact: Contact, target: Target): string[][] {
	if (contact.answers.length === 0) return [];
	const facts = factsOf(contact, target);
	return ASSUMPTIONS.map(({ open, assumed, fact, holds }) => {
		const seen = facts[fact];
		const verdict = seen === undefined ? 'not seen' : holds.test(seen) ? 'holds' : '**differs**';
		return [open, assumed, seen ?? '', verdict];
	});
}

function requestRow({ probe, status, ms, body, failure }: Answer, index: number): string[] {
	const content =
		body && (body.fault ? `not a JSON value: ${body.fault}` : `JSON, ${typeOf(body.json)}`);
	return [
		String(index + 1),
		probeOf(probe).title,
		String(status ?? 'none'),
		String(ms),
		content ?? 'none',
		failure === undefined ? '' : describeFailure(failure),
	];
}

function describeFailure(failure: string): string {
	if (failure === 'TIMEOUT') return 'no whole answer in time';
	if (failure === 'TOO_LARGE') return 'the answer is too large';
	const shown = /^[A-Z][A-Z0-9_]{2,60}$/.test(failure) ? failure : 'cause unknown';
	const isCertificate = /CERT|^UNABLE_TO_/.test(shown);
	return `${isCertificate ? 'the certificate is not accepted' : 'the connection failed'} (${shown})`;
}

/** Each form in which a header was seen, with the numbers of the requests. */
function headerRows(contact: Contact, target: Target): string[][] {
	const secrets = secretsOf(contact, target);
	const seen = new Map<string, number[]>();
	for (const [index, { headers }] of contact.answers.entries()) {
		for (const [name, value] of Object.entries(shownHeaders(headers, secrets))) {
			const cells = `\`${name}\` | ${value}`;
			seen.set(cells, [...(seen.get(cells) ?? []), index + 1]);
		}
	}
	return [...seen]
		.sort(([one], [other]) => one.localeCompare(other))
		.map(([cells, numbers]) => [cells, numbers.join(', ')]);
}

function section(
	title: string,
	titles: readonly string[],
	rows: readonly (readonly string[])[],
): string {
	if (rows.length === 0) return '';
	const lines = [titles, titles.map(() => '---'), ...rows];
	return `### ${title}\n\n${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}`;
}
