import { setTimeout as sleep } from 'node:timers/promises';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { checkSiteId } from '../../nodes/Aquaculture/input/siteText';
import { AquacultureApi } from '../../credentials/AquacultureApi.credentials';
import manifest from '../../package.json';
import { checkCredentialSettings } from '../../nodes/Aquaculture/input/credentialSettings';
import { UserFacingError } from '../../testbed/userFacingError';
import { say } from '../../testbed/progress';
import { command, UsageError } from '../commandLine';
import { makeContact, type Target } from './contact';
import { formatReport } from './report';

const USAGE = `AQUACULTURE_BASE_URL=… AQUACULTURE_USERNAME=… npm run first-contact -- 1001

  1001 is the ID of a site that the account may read. To keep AQUACULTURE_PASSWORD out of the shell's history, set it with
  read -rs AQUACULTURE_PASSWORD && export AQUACULTURE_PASSWORD. AQUACULTURE_VERSION_HEADER, AQUACULTURE_TOKEN_VERSION and
  AQUACULTURE_DATA_VERSION replace the defaults of the credential.`;

const NEEDED = ['AQUACULTURE_BASE_URL', 'AQUACULTURE_USERNAME', 'AQUACULTURE_PASSWORD'];

/** n8n may share the limit of the account. */
const PAUSE_MS = 5000;

/** Asks the real service what its documentation leaves open, and prints a report that is safe to publish. */
async function main(): Promise<void> {
	const target = readTarget(process.argv.slice(2));
	say(
		`This sends at most 13 requests, one every ${PAUSE_MS / 1000} seconds. They count towards the limit that the account shares with n8n`,
	);
	say('Its logins may end the session of n8n: n8n then logs in again');
	say('Press Ctrl-C to end it. The first request follows after the pause');

	const contact = await makeContact(target, async (title) => {
		say(title);
		await sleep(PAUSE_MS);
	});
	const date = new Date().toISOString().slice(0, 10);
	const versions = `version ${manifest.version} on Node.js ${process.versions.node}`;
	console.log(formatReport(contact, target.siteId, `Made on ${date} with ${versions}`));
	if (contact.end) throw new UserFacingError(contact.end);
}

/** Reads the site ID, and each field of the credential from a variable. @throws UserFacingError */
function readTarget([input, ...more]: string[]): Target {
	if (more.length > 0) throw new UsageError('Give one site ID');
	const { value: siteId, failure: invalid } = checkSiteId(input);
	if (invalid) throw new UsageError(`The site ID ${invalid.reason}`);
	const missing = NEEDED.filter((name) => !process.env[name]);
	if (missing.length > 0) {
		throw new UsageError(`Set ${missing.join(' and ')}: this command reads the real service`);
	}
	const fields = new AquacultureApi().properties.map(({ name, default: value }) => {
		const words = name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
		return [name, process.env[`AQUACULTURE_${words}`] || value];
	});
	const { value: settings, failure } = checkCredentialSettings(
		Object.fromEntries(fields) as ICredentialDataDecryptedObject,
	);
	if (failure) throw new UserFacingError(failure.message);
	return { settings, siteId };
}

command(main, USAGE);
