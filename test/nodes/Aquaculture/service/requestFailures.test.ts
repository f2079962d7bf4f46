import {
	documentSubject,
	fullDescription,
	LOGIN,
} from '../../../../nodes/Aquaculture/messages/failure';
import {
	BODY_FAILURES,
	explainHelperError,
	type HelperError,
} from '../../../../nodes/Aquaculture/service/requestFailures';
import { redactor } from '../../../../nodes/Aquaculture/service/redact';

const explain = (error: HelperError, subject = documentSubject('unit 7')) =>
	explainHelperError(error, subject, 'https://data.example.com', redactor(['s3cret']));

describe('a request without an answer', () => {
	it.each([
		['connect ECONNREFUSED 10.0.0.7:3128', '10.0.0.7:3128'],
		['getaddrinfo ENOTFOUND proxy.example.com', 'proxy.example.com'],
		['connect EHOSTUNREACH 10.0.0.7:3128 - Local (10.0.0.2:0)', '10.0.0.7:3128'],
		['connect ENETUNREACH fd00::7:3128 - Local (:::0)', 'fd00::7:3128'],
		['connect ETIMEDOUT 10.0.0.7:443', undefined],
		['connect EHOSTUNREACH 10.0.0.7:443 - Local (10.0.0.2:0)', undefined],
		['getaddrinfo ENOTFOUND data.example.com', undefined],
		['read ECONNRESET', undefined],
		['', undefined],
	])('with the message %j names the proxy %j', (message, proxy) => {
		const named = /^The proxy (\S+) could not be reached/.exec(
			explain({ message, code: 'E' }).message,
		);

		expect(named?.[1]).toBe(proxy);
	});

	it('masks secrets in what n8n says', () => {
		const failure = explain({ message: 'No login with s3cret!', description: 'Try again' });

		expect(failure.description).toBe('*****. Try again.');
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
		for (const code of codes) {
			const failure = explain({ message: 'It failed', code }, LOGIN);
			expect(failure).toMatchObject({ message: `${message} (${code})` });
			expect({ isTransient: false, ...failure }).toMatchObject({ isTransient });
			const description = fullDescription(failure);
			expect(hints.split(' ').filter((hint) => !description.includes(hint))).toEqual([]);
			expect(description).not.toContain('Ignore SSL');
			expect(explain({ message: 'It failed', httpCode: code }).message).toBe(
				`${message} (${code}), so unit 7 was not read`,
			);
		}
	});
});

it.each([
	[
		documentSubject('unit 7'),
		/^Contact the operator of the service\.\nWithout its units, the site may be small enough\.$/,
	],
	[LOGIN, /^Check 'Base URL'/],
])('an answer that is too large: what a trigger, too, can do about it (%j)', (subject, advice) => {
	expect(fullDescription(BODY_FAILURES.tooLarge(subject, 4 * 1024 * 1024))).toMatch(advice);
});
