import {
	connectionFailure,
	explainUnansweredLogin,
	findProxy,
} from '../../../../nodes/Aquaculture/service/connectionFailures';
import { fullDescription } from '../../../../nodes/Aquaculture/messages/messages';
import { documentSubject } from '../../../../nodes/Aquaculture/messages/subject';

const ORIGIN = 'https://data.example.com';
const SITE = documentSubject('site 7');
const UNIT = documentSubject('unit 7');

describe('a request without an answer', () => {
	it.each([
		['connect ECONNREFUSED 10.0.0.7:3128', '10.0.0.7:3128'],
		['getaddrinfo ENOTFOUND proxy.example.com', 'proxy.example.com'],
		['connect ETIMEDOUT 10.0.0.7:443', undefined],
		['getaddrinfo ENOTFOUND data.example.com', undefined],
		['read ECONNRESET', undefined],
		['', undefined],
	])('with the message %j names the proxy %j', (message, proxy) => {
		expect(findProxy(message, ORIGIN)).toBe(proxy);
	});

	it('names a proxy that cannot be reached', () => {
		expect(
			connectionFailure(
				{ code: 'ECONNREFUSED', message: 'connect ECONNREFUSED 10.0.0.7:3128' },
				SITE,
				ORIGIN,
			),
		).toMatchObject({
			message: 'The proxy 10.0.0.7:3128 could not be reached, so site 7 was not read',
			kind: 'transient',
		});
	});

	it('masks the password in what n8n says about a failed login', () => {
		const failure = explainUnansweredLogin(new Error('No login with s3cret!'), {
			password: 's3cret',
			origin: ORIGIN,
		});

		expect(JSON.stringify(failure)).toContain('No login with *****!');
		expect(JSON.stringify(failure)).not.toContain('s3cret');
	});

	it.each<[message: string, isTransient: boolean, hints: string, codes: string[]]>([
		[
			'The service could not be reached',
			true,
			'Base URL',
			['ECONNREFUSED', 'EHOSTUNREACH', 'ENOTFOUND', 'SOMETHING_NEW', '__proto__', '503'],
		],
		[
			'The connection to the service was lost',
			true,
			'operator',
			['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_BAD_RESPONSE'],
		],
		[
			'The certificate of the service is not trusted',
			false,
			'clock NODE_EXTRA_CA_CERTS operator',
			[
				...['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID', 'CERT_REVOKED', 'CERT_UNTRUSTED'],
				...['ERR_TLS_CERT_ALTNAME_INVALID', 'HOSTNAME_MISMATCH'],
				...['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN'],
				...['UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
				...['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'INVALID_CA', 'INVALID_PURPOSE', 'UNSPECIFIED'],
			],
		],
		[
			'n8n could not communicate with the service',
			false,
			'https:// port operator',
			[
				...['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_EE_KEY_TOO_SMALL'],
				...['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE'],
				...['HPE_INVALID_CONSTANT', 'HPE_HEADER_OVERFLOW'],
			],
		],
	])('%s (transient: %j): the description names %s', (message, isTransient, hints, codes) => {
		for (const cause of codes) {
			const error = Object.assign(new Error('It failed'), { code: cause });
			const failure = explainUnansweredLogin(error, { password: '', origin: ORIGIN });
			expect(failure).toMatchObject({ message: `${message} (${cause})`, failureKey: cause });
			expect(failure.kind).toBe(isTransient ? 'transient' : undefined);
			const description = fullDescription(failure);
			expect(hints.split(' ').filter((hint) => !description.includes(hint))).toEqual([]);
			expect(description).not.toContain('Ignore SSL');
			expect(connectionFailure({ code: cause, message: 'It failed' }, UNIT, ORIGIN).message).toBe(
				`${message} (${cause}), so unit 7 was not read`,
			);
		}
	});
});
