import axios from 'axios';
import { DEMO_ACCOUNT, Emulator } from '../../emulator/server';
import { useFakeTime } from '../../testbed/engine/fakeTime';

const { advance } = useFakeTime();

let emulator: Emulator;

beforeEach(async () => {
	emulator = await new Emulator({
		accounts: { [DEMO_ACCOUNT.username]: DEMO_ACCOUNT.password, nils: 'torsk' },
		requestsPerMinute: 100,
	}).start();
});
afterEach(async () => await emulator.stop());

it('the emulator allows 100 requests a minute per account, and sends Retry-After with a 429', async () => {
	const http = axios.create({
		baseURL: emulator.baseUrl,
		validateStatus: () => true,
		headers: { 'Service-Version': '2023-01-01', Connection: 'close' },
	});
	const login = async (account: object) =>
		await http.post<{ access_token: string }>('/auth/token', account);
	const { data } = await login(DEMO_ACCOUNT);
	const headers = { Authorization: `Bearer ${data.access_token}` };
	const read = async () => await http.get('/meta/sites/1001', { headers });
	for (let sent = 1; sent < 100; sent++) expect((await read()).status).toBe(200);

	const refused = await read();
	expect([refused.status, refused.headers['retry-after']]).toEqual([429, '60']);
	expect((await login({ username: 'nils', password: 'torsk' })).status).toBe(200);
	await advance(59_000);
	expect((await read()).status).toBe(429);
	await advance(1000);
	expect((await read()).status).toBe(200);

	expect([emulator.journal.countRateLimited(), emulator.journal.maxPerMinute()]).toEqual([2, 103]);
});
