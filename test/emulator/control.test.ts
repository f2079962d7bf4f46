import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import axios, { type AxiosInstance } from 'axios';
import { Control } from '../../emulator/control';
import { DEMO_ACCOUNT, Emulator, UNLIMITED } from '../../emulator/server';
import { SITES, type StoredSite } from '../../emulator/sites';

let emulator: Emulator;
let control: Control;
let http: AxiosInstance;

beforeAll(async () => {
	emulator = await Emulator.start(UNLIMITED);
	control = await Control.start(emulator);
	http = axios.create({ baseURL: control.address, validateStatus: () => true });
});
afterAll(async () => {
	await control.stop();
	await emulator.stop();
});
beforeEach(() => emulator.reset());

const patch = async (site: number | string, body: unknown) =>
	await http.patch<StoredSite & { message: string }>(`/sites/${site}`, body);
/** The site as the service sends it. */
const served = async (siteId: number) => {
	const { access_token: token } = emulator.tokens.issue(DEMO_ACCOUNT.username);
	const { data } = await axios.get<StoredSite>(
		`${emulator.baseUrl}/meta/sites/${siteId}?$include=units,info`,
		{ headers: { Authorization: `Bearer ${token}`, 'Service-Version': '2023-01-01' } },
	);
	return data;
};

it("the emulator's control merges what it gets into the site, which the service sends from then on", async () => {
	const [site, ...others] = SITES;
	const patched = { siteName: 'Nyvågen', info: { license: 'M-H-0202', depth: { metres: 40 } } };
	const changed = { ...site, ...patched, info: { ...site?.info, ...patched.info } };

	const { status, data } = await patch(1001, patched);

	expect([status, data]).toEqual([200, changed]);
	await expect(served(1001)).resolves.toEqual(changed);
	expect((await http.get<unknown>('/sites')).data).toEqual([changed, ...others]);
});

it("the emulator's control replaces a list, and takes away what is null", async () => {
	const units = [{ unitId: 1, unitName: 'Merd 1' }];

	await patch(1001, { units, info: { license: null } });

	const site = await served(1001);
	expect(site.units).toEqual(units);
	expect(site.info).toEqual(expect.not.objectContaining({ license: expect.anything() }));
	await patch(1001, { units: null, info: null });
	await expect(served(1001)).resolves.toEqual({ siteId: 1001, siteName: 'Storvågen' });
});

it("the emulator's control accepts the command that it gives as an example", async () => {
	await promisify(execFile)('sh', ['-c', control.example]);

	await expect(served(1001)).resolves.toMatchObject({ info: { license: 'M-H-0202' } });
});

it.each([
	[1001, '{"info":', 400, 'The body is not JSON. Send a change such as {"siteName":"Nyvågen"}'],
	[1001, '[]', 400, 'The body is not a JSON object'],
	[1001, { info: 'M-H-0202' }, 400, "'info' is not an object"],
	[1001, { info: { license: 7 } }, 400, "'info.license' is not a text"],
	[1001, { units: [{ unitId: 'one' }] }, 400, "'units[0].unitId' is not a whole number"],
	[1001, { siteId: 1002 }, 400, "'siteId' cannot be changed"],
	[1001, { siteId: null }, 400, "'siteId' cannot be changed"],
	[9999, { siteName: 'x' }, 404, 'There is no site 9999'],
	['Storvågen', { siteName: 'x' }, 404, 'There is no site Storvågen'],
])(
	"the emulator's control refuses, for site %s, the body %j",
	async (site, body, status, message) => {
		const answer = await patch(site, body);

		expect(answer.status).toBe(status);
		expect(answer.data.message).toContain(message);
		expect((await http.get<unknown>('/sites')).data).toEqual(SITES);
	},
);

it.each([
	['PUT', '/sites/1001'],
	['GET', '/'],
])("the emulator's control says to %s %s what it offers", async (method, url) => {
	const { status, data } = await http.request<unknown>({ method, url });

	expect([status, data]).toEqual([
		404,
		{ message: 'Use GET /sites to see all sites, and PATCH /sites/1001 to change one' },
	]);
});

it("the emulator's control is not at the address of the service", async () => {
	const options = { validateStatus: () => true };
	const { status } = await axios.patch(`${emulator.baseUrl}/sites/1001`, '{}', options);

	expect(status).toBe(404);
});
