import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { ReceivedRequest } from '../../../emulator/journal';
import { loginOf } from '../../../scripts/soak/logins';

const page = readFileSync(path.resolve(__dirname, '../../../docs/messages.md'), 'utf8');
/** What is filled in stands in italics. */
const messages = page.replaceAll(/_(\d+)_/g, '$1');

const failing: Array<Partial<ReceivedRequest>> = [
	{ fault: { kind: 'reset' } },
	{ status: 200, fault: { kind: 'body', body: '{}' } },
	{ status: 401 },
	{ status: 503 },
];

it.each(failing)('a login with %j fails with a message of docs/messages.md', (request) => {
	const login = loginOf({ body: '{"password":"tide"}', ...request } as ReceivedRequest);

	expect(login.failure?.message).toBeDefined();
	expect(messages).toContain(login.failure?.message);
});
