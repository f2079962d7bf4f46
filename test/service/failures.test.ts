import { connectionFailure, statusMessage } from '../../service/failedRequest';
import { LOGIN } from '../../texts/messages';

it.each<[string, boolean, string[]]>([
	['The service refused the connection', true, ['ECONNREFUSED']],
	['The host name of the service was not found', false, ['ENOTFOUND']],
	['The host name of the service could not be looked up', true, ['EAI_AGAIN']],
	[
		'The service could not be reached',
		true,
		['EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'SOMETHING_NEW', '__proto__', '503', ''],
	],
	[
		'The connection to the service broke off',
		true,
		['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_BAD_RESPONSE'],
	],
	['The service did not answer in time', true, ['ETIMEDOUT', 'ECONNABORTED']],
	['The certificate of the service has expired', false, ['CERT_HAS_EXPIRED']],
	[
		'The certificate of the service is for another host name',
		false,
		['ERR_TLS_CERT_ALTNAME_INVALID'],
	],
	[
		'The certificate of the service is not trusted',
		false,
		[
			...['CERT_NOT_YET_VALID', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN'],
			...['UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
			'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
		],
	],
	[
		'A secure connection to the service could not be set up',
		false,
		['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER'],
	],
	['No web service answers at this address', false, ['HPE_INVALID_CONSTANT']],
])('%s (worth another try: %j): %j', (message, retryable, codes) => {
	for (const cause of codes) {
		expect(connectionFailure(cause, LOGIN)).toMatchObject({ message, retryable, cause });
		expect(connectionFailure(cause, 'unit 7').message).toBe(`${message}, so unit 7 was not read`);
	}
});

it.each<[number, object, string]>([
	[300, { location: '/there' }, 'The service pointed to another address for unit 7: /there'],
	[399, { location: '/?t=s3cret' }, 'The service pointed to another address for unit 7: /?t=*****'],
	[302, {}, 'The service answered the request for unit 7 with status 302'],
	[302, { location: ['/there'] }, 'The service answered the request for unit 7 with status 302'],
	[418, { location: '/there' }, 'The service answered the request for unit 7 with status 418'],
	[499, {}, 'The service answered the request for unit 7 with status 499'],
	[408, {}, 'The service waited too long for the request for unit 7'],
	[500, {}, 'The service could not answer the request for unit 7 (status 500)'],
	[599, {}, 'The service could not answer the request for unit 7 (status 599)'],
])('status %d %j: %s', (statusCode, headers, message) => {
	const redact = (text: string) => text.replace('s3cret', '*****');

	expect(statusMessage('unit 7', statusCode, { ...headers }, redact).message).toBe(message);
});
