import { describeConnectionFailure } from '../../shared/connectionFailures';

describe('describeConnectionFailure', () => {
	it.each([
		['ECONNREFUSED', 'The service refused the connection', true],
		['ENOTFOUND', 'The host name of the service was not found', false],
		['EAI_AGAIN', 'The host name of the service could not be looked up', true],
		['EHOSTUNREACH', 'The service could not be reached', true],
		['ENETUNREACH', 'The service could not be reached', true],
		['EADDRNOTAVAIL', 'The service could not be reached', true],
		['ECONNRESET', 'The connection to the service broke off', true],
		['EPIPE', 'The connection to the service broke off', true],
		['ERR_STREAM_PREMATURE_CLOSE', 'The connection to the service broke off', true],
		['ERR_BAD_RESPONSE', 'The connection to the service broke off', true],
		['ETIMEDOUT', 'The service did not answer in time', true],
		['ECONNABORTED', 'The service did not answer in time', true],
		['CERT_HAS_EXPIRED', 'The certificate of the service has expired', false],
		[
			'ERR_TLS_CERT_ALTNAME_INVALID',
			'The certificate of the service is made out to another name',
			false,
		],
		['CERT_NOT_YET_VALID', 'The certificate of the service is not trusted', false],
		['DEPTH_ZERO_SELF_SIGNED_CERT', 'The certificate of the service is not trusted', false],
		['SELF_SIGNED_CERT_IN_CHAIN', 'The certificate of the service is not trusted', false],
		['UNABLE_TO_GET_ISSUER_CERT', 'The certificate of the service is not trusted', false],
		['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'The certificate of the service is not trusted', false],
		['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'The certificate of the service is not trusted', false],
		['EPROTO', 'A secure connection to the service could not be set up', false],
		[
			'ERR_SSL_WRONG_VERSION_NUMBER',
			'A secure connection to the service could not be set up',
			false,
		],
		['HPE_INVALID_CONSTANT', 'What answered at this address is not a web service', false],
		['SOMETHING_NEW', 'The service could not be reached', true],
		['__proto__', 'The service could not be reached', true],
		[undefined, 'The service could not be reached', true],
	])('%s', (code, message, passing) => {
		const failure = describeConnectionFailure(code);

		expect(failure).toEqual({
			message,
			description: expect.stringMatching(/\.$/) as unknown,
			passing,
		});
		expect(`${failure.message} ${failure.description}`).not.toMatch(/\berror\b|\bproblem\b/i);
	});
});
