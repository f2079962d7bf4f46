import { setTimeout as sleep } from 'node:timers/promises';
import type { Emulator } from '../../emulator/server';
import type { Account } from './account';
import type { Disturbance, Planned } from './plan';
import { WATCHED_SITE } from './sites';

/** What has been done to the service. */
export interface Done {
	/** How often each kind of disturbance has come. */
	counts: Record<Disturbance['kind'], number>;
	/** The licences that the watched site was given, in their order. */
	licences: string[];
}

/** Disturbs the service and the account as planned, until all is done or the signal is aborted. */
export async function disturb(
	planned: ReadonlyArray<Planned<Disturbance>>,
	service: Emulator,
	account: Account,
	signal: AbortSignal,
): Promise<Done> {
	const done: Done = {
		counts: {
			fault: 0,
			revocation: 0,
			tokens: 0,
			passwordChange: 0,
			wrongPassword: 0,
			siteChange: 0,
		},
		licences: [],
	};
	const begunAt = Date.now();
	const edits: Array<Promise<void>> = [];
	let failure: Error | undefined;
	const begin = (edit: Promise<void>) => {
		edits.push(edit.catch((error: Error) => void (failure = error)));
	};
	for (const { at, what } of planned) {
		await sleep(Math.max(0, begunAt + at - Date.now()), undefined, { signal });
		if (failure) throw failure;
		begin(account.restore());
		done.counts[what.kind] += 1;
		switch (what.kind) {
			case 'fault':
				service.fail(what.rule);
				break;
			case 'revocation':
				service.tokens.revokeAll();
				break;
			case 'tokens':
				service.tokens.settings.opaque = what.opaque;
				service.tokens.settings.lifetimeSeconds = what.lifetimeSeconds;
				break;
			case 'passwordChange':
				begin(account.changePassword(what.lateMs));
				break;
			case 'wrongPassword':
				begin(account.enterWrongPassword(what.forMs));
				break;
			case 'siteChange':
				done.licences.push(changeLicence(service, done.licences.length + 1));
				break;
		}
	}
	await Promise.all(edits);
	if (failure) throw failure;
	return done;
}

function changeLicence(service: Emulator, count: number): string {
	const license = `L-${count}`;
	service.changeSite(WATCHED_SITE, (site) => ({ ...site, info: { ...site.info, license } }));
	return license;
}
