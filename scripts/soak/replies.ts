import type { Fault } from '../../emulator/faults';
import type { ReceivedRequest } from '../../emulator/journal';
import { documentStatus } from '../../nodes/Aquaculture/transport/failure';
import { connectionFailure } from '../../shared/failures';
import { MESSAGES } from '../../shared/messages';
import { isPassingStatus } from '../../shared/retry';
import { LIMITS } from './workflows';

/** What a request for a site was answered with, as the node must understand it. */
export interface Reply {
	at: number;
	kind:
		| 'read'
		/** Not with this token: the node asks again with another one, unless that is of no use. */
		| 'rejected'
		/** Worth another try. */
		| 'passing'
		| 'final';
	/** The sentence for it; empty where the site was read. */
	message: string;
	/** How many seconds the service asks to wait. */
	waitSeconds: number;
	/** Whether the node may leave it at this rejection. */
	mayStand?: boolean;
}

/** The site that a request asks for. */
export function siteOf({ url }: Pick<ReceivedRequest, 'url'>): number {
	return Number(/\/meta\/sites\/(-?\d+)/.exec(url)?.[1]);
}

/** What the node must make of the answer to a request for a site. */
export function replyTo(request: ReceivedRequest): Reply {
	const subject = `site ${siteOf(request)}`;
	const { fault, at } = request;
	const reply = (kind: Reply['kind'], message = ''): Reply => ({
		at,
		kind,
		message,
		waitSeconds: waitOf(fault),
	});
	if (fault?.kind === 'reset') return reply('passing', brokenOff(subject));
	if (fault?.kind === 'hang') return reply('passing', tooSlow(subject));
	if (fault?.kind === 'body') {
		const isPage = fault.contentType === 'text/html';
		return reply('final', MESSAGES.answer[isPage ? 'html' : 'malformed'](subject).message);
	}
	const status = request.status ?? 0;
	if (status === 200) {
		if (fault?.kind === 'truncated') return reply('passing', brokenOff(subject));
		return request.isCutOff ? reply('passing', tooSlow(subject)) : reply('read');
	}
	const site = { subject, kind: { one: 'site', many: 'sites' } };
	const { message } = documentStatus(status, {}, site, (text) => text);
	if (status === 401 || status === 403) return reply('rejected', message);
	return reply(isPassingStatus(status) ? 'passing' : 'final', message);
}

function waitOf(fault: Fault | undefined): number {
	return fault?.kind === 'status' ? Number(fault.headers?.['retry-after'] ?? 0) : 0;
}

const brokenOff = (subject: string) => connectionFailure('ECONNRESET', subject).message;
const tooSlow = (subject: string) =>
	MESSAGES.limits.tookTooLong(subject, LIMITS.timeout * 1000).message;
