import { checkConnection } from '../../shared/connection';

const CREDENTIAL = {
	baseUrl: 'https://data.example.com',
	username: 'staff',
	password: ' secret ',
	versionHeader: 'Service-Version',
	tokenVersion: '2025-01-01',
	dataVersion: '2023-01-01',
	requestsPerMinute: 60,
	allowPlainHttp: false,
	allowUnauthorizedCerts: false,
};

describe('checkConnection', () => {
	it('puts the fields in the form in which they are used', () => {
		expect(checkConnection({ ...CREDENTIAL, versionHeader: ' X-Version ', more: 1 })).toEqual({
			value: {
				baseUrl: 'https://data.example.com',
				origin: 'https://data.example.com',
				username: 'staff',
				password: ' secret ',
				versionHeader: 'X-Version',
				tokenVersion: '2025-01-01',
				dataVersion: '2023-01-01',
				requestsPerMinute: 60,
				allowUnauthorizedCerts: false,
			},
		});
	});

	it.each([
		['https://data.example.com/', 'https://data.example.com'],
		['  https://data.example.com//  ', 'https://data.example.com'],
		['HTTPS://Data.Example.com:443/v1/', 'https://data.example.com/v1'],
		['https://data.example.com:8443/a/b', 'https://data.example.com:8443/a/b'],
		['https://smådata.example', 'https://xn--smdata-jua.example'],
		['http://localhost:8085', 'http://localhost:8085'],
		['http://localhost.:8085', 'http://localhost.:8085'],
		['http://127.0.0.1:8085', 'http://127.0.0.1:8085'],
		['http://127.8.9.10', 'http://127.8.9.10'],
		['http://2130706433', 'http://127.0.0.1'],
		['http://[::1]:8085', 'http://[::1]:8085'],
	])('reads the base URL %s', (baseUrl, value) => {
		const { value: connection, fault } = checkConnection({ ...CREDENTIAL, baseUrl });

		expect([fault, connection?.baseUrl]).toEqual([undefined, value]);
	});

	it('reads a base URL with letters beyond ASCII however often, since Node.js has a fast way to misread them', () => {
		const credential = { ...CREDENTIAL, baseUrl: 'https://smådata.example' };
		const faults = Array.from({ length: 30_000 }, () => checkConnection(credential).fault);

		expect(new Set(faults)).toEqual(new Set([undefined]));
	});

	it.each([
		'http://data.example.com',
		'http://128.0.0.1',
		'http://127.0.0.1.example.com',
		'http://localhost.example.com',
		'http://notlocalhost',
		'http://service.localhost',
		'http://[::2]',
	])('refuses %s, unless plain HTTP is allowed', (baseUrl) => {
		expect(checkConnection({ ...CREDENTIAL, baseUrl }).fault).toMatch(/unencrypted/);
		expect(checkConnection({ ...CREDENTIAL, baseUrl, allowPlainHttp: true }).fault).toBeUndefined();
	});

	it.each([
		[undefined, 'The Base URL is empty'],
		[7, 'The Base URL is empty'],
		['//data.example.com', 'The Base URL must begin with https://'],
		['see https://data.example.com', 'The Base URL must begin with https://'],
		['https://exa mple.com', 'The Base URL is not a web address'],
		['https://data.example.com/#', 'The Base URL must end before the first ? or #'],
		['https://data.example.com?', 'The Base URL must end before the first ? or #'],
		[
			'https://:secret@data.example.com',
			'The Base URL must not contain a user name or password; they have fields of their own',
		],
		[
			'https://me@data.example.com',
			'The Base URL must not contain a user name or password; they have fields of their own',
		],
	])('refuses the base URL %j', (baseUrl, fault) => {
		expect(checkConnection({ ...CREDENTIAL, baseUrl })).toEqual({ fault });
	});

	it.each(['host', 'Content-Type', 'CONTENT-LENGTH', 'connection', 'accept', 'transfer-encoding'])(
		'refuses the header %s, which a request needs for itself',
		(versionHeader) => {
			expect(checkConnection({ ...CREDENTIAL, versionHeader }).fault).toBe(
				`The Version Header Name cannot be ${versionHeader}, which a request needs for itself`,
			);
		},
	);

	it.each<[string, unknown, string]>([
		['versionHeader', undefined, 'The Version Header Name is empty'],
		['versionHeader', ' ', 'The Version Header Name is empty'],
		[
			'versionHeader',
			'Service Version',
			'The Version Header Name holds a character that the name of a header cannot have',
		],
		['tokenVersion', '', 'The Token Request Version is empty'],
		['dataVersion', '', 'The Data Request Version is empty'],
		['username', '', 'The Username is empty'],
		['password', 7, 'The Password is empty'],
	])('refuses the %s %j', (field, typed, fault) => {
		expect(checkConnection({ ...CREDENTIAL, [field]: typed })).toEqual({ fault });
	});

	it.each<[unknown, number]>([
		[1, 1],
		[10_000, 10_000],
		['60', 60],
		[' 7 ', 7],
		[0, Infinity],
		['0', Infinity],
		[undefined, 100],
	])('reads %j requests a minute as %d', (requestsPerMinute, value) => {
		const { value: connection } = checkConnection({ ...CREDENTIAL, requestsPerMinute });

		expect(connection?.requestsPerMinute).toBe(value);
	});

	it.each<[unknown, string]>([
		['', 'The Requests per Minute is empty'],
		[' ', 'The Requests per Minute is empty'],
		[null, 'The Requests per Minute is empty'],
		[true, 'The Requests per Minute is not a whole number from 0 to 10000: "true"'],
		[[7], 'The Requests per Minute is not a whole number from 0 to 10000: [7]'],
		[-1, 'The Requests per Minute is not a whole number from 0 to 10000: "-1"'],
		[0.5, 'The Requests per Minute is not a whole number from 0 to 10000: "0.5"'],
		[10_001, 'The Requests per Minute is not a whole number from 0 to 10000: "10001"'],
		[NaN, 'The Requests per Minute is not a whole number from 0 to 10000: "NaN"'],
		[Infinity, 'The Requests per Minute is not a whole number from 0 to 10000: "Infinity"'],
		['many', 'The Requests per Minute is not a whole number from 0 to 10000: "many"'],
		['-1', 'The Requests per Minute is not a whole number from 0 to 10000: "-1"'],
		['1e2', 'The Requests per Minute is not a whole number from 0 to 10000: "1e2"'],
		['0x10', 'The Requests per Minute is not a whole number from 0 to 10000: "0x10"'],
		['1.0', 'The Requests per Minute is not a whole number from 0 to 10000: "1.0"'],
	])('refuses %j requests a minute', (requestsPerMinute, fault) => {
		expect(checkConnection({ ...CREDENTIAL, requestsPerMinute })).toEqual({ fault });
	});

	it.each([
		[true, true],
		['true', false],
		[undefined, false],
	])('trusts any certificate where it is %j: %j', (allowUnauthorizedCerts, isTrusting) => {
		const { value } = checkConnection({ ...CREDENTIAL, allowUnauthorizedCerts });

		expect(value?.allowUnauthorizedCerts).toBe(isTrusting);
	});

	it.each(['username', 'password'])('refuses a missing %s', (field) => {
		expect(checkConnection({ ...CREDENTIAL, [field]: undefined }).fault).toMatch(/is empty$/);
	});
});
