import { LoggerProxy, type Logger } from 'n8n-workflow';
import { logDebug } from '../../../../nodes/Aquaculture/n8n/log';

it.each([
	['bo', '***'],
	['per', '***'],
	['anne', 'a***'],
	['staff-17', 'st***'],
])('the username %s stands in the debug log as %s', (username, account) => {
	const debug = jest.fn();
	LoggerProxy.init({ debug } as unknown as Logger);

	logDebug({ username, origin: 'https://data.example.com' }, 'Logged in', {});

	expect(debug).toHaveBeenCalledWith('Aquaculture: Logged in', {
		account,
		origin: 'https://data.example.com',
	});
});
