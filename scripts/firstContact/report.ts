import { ACCEPTED_TYPES, ASSUMPTIONS, PROBES } from './assumptions';
import { titleOf, type Answer, type Contact, type Target } from './contact';
import { countUndocumented, factsOf, fieldsOf, seenIn } from './facts';
import { shownHeaders } from './redact';

/**
 * What was seen, in Markdown, as it may be shown in public.
 *
 * @param heading when and with which versions the contact was made.
 */
export function reportOf(contact: Contact, target: Target, heading: string): string {
	const { answers, end = '' } = contact;
	const { tokenVersion, dataVersion } = target.connection;
	const facts: Record<string, string> = factsOf(contact, target);
	const assumptions = Object.entries(ASSUMPTIONS).map(([about, { assumed, holds }]) => {
		const seen = facts[about] ?? '';
		return [about, assumed, seen, verdictOn(seen, holds)];
	});
	const fields = fieldsOf(contact).map(({ name, documented, types }) => {
		const isAccepted = types.every((type) => ACCEPTED_TYPES[documented]?.test(type));
		const verdict = types.length === 0 ? 'not seen' : isAccepted ? 'holds' : '**differs**';
		return [`\`${name}\``, documented, types.join(' or '), verdict];
	});
	return [
		'## First contact with the service',
		`${heading}. Versions sent: ${tokenVersion} with a login, ${dataVersion} with the rest. ${answers.length} of ${PROBES.length} requests were sent. ${end}`.trim(),
		'The report contains no password, token, address, name of the version header or data of a site, and no name of a field that is not documented.',
		section('Requests', 'Request | Assumed | Seen | Verdict | Milliseconds', requestRows(answers)),
		section('Answers', 'About | Assumed | Seen | Verdict', assumptions),
		section('Fields of a site', 'Field | Documented | Seen | Verdict', fields),
		`Fields that are not documented, and are passed on: ${countUndocumented(contact)}.`,
		section('Headers', 'Header | Value | Requests', headerRows(contact, target)),
	].join('\n\n');
}

function verdictOn(seen: string, holds: RegExp): string {
	if (seen === '') return 'not seen';
	return holds.test(seen) ? 'holds' : '**differs**';
}

function requestRows(answers: readonly Answer[]): string[][] {
	return PROBES.map((probe, index) => {
		const title = `${index + 1}. ${titleOf(probe)}`;
		const answer = answers[index];
		if (!answer) return [title, probe.assumed, '', 'not seen', ''];
		const { status, ms } = answer;
		const seen = seenIn(answer);
		// The service may only be unwell for the moment.
		const isTelling = status !== undefined && status !== 429 && status < 500;
		const verdict = isTelling ? verdictOn(seen, probe.holds) : 'not seen';
		return [title, probe.assumed, seen, verdict, String(ms)];
	});
}

/** Each form in which a header was seen, with the numbers of the requests. */
function headerRows({ answers, tokens }: Contact, { connection, siteId }: Target): string[][] {
	const secrets = [connection.username, connection.password, ...tokens, String(siteId)];
	const seen = new Map<string, number[]>();
	for (const [index, { headers }] of answers.entries()) {
		for (const [name, value] of shownHeaders(headers, secrets)) {
			const cells = `\`${name}\` | ${value}`;
			seen.set(cells, [...(seen.get(cells) ?? []), index + 1]);
		}
	}
	return [...seen].map(([cells, numbers]) => [cells, numbers.join(', ')]);
}

function section(title: string, titles: string, rows: readonly (readonly string[])[]): string {
	const rule = titles.replace(/[^|]+/g, ' --- ').trim();
	const lines = [titles, rule, ...rows.map((cells) => cells.join(' | '))];
	return `### ${title}\n\n${lines.map((line) => `| ${line} |`).join('\n')}`;
}
