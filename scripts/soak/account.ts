import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Emulator } from '../../emulator/server';
import type { N8nInstance } from '../../testbed/n8n/instance';
import { loginOf, type Login } from './logins';

export const USERNAME = 'demo';

/** A password that stood in n8n's credential, and when it may have been read there. */
export interface EnteredPassword {
	password: string;
	/** Milliseconds since 1970. */
	from: number;
	until: number;
}

/** When a password was being entered. */
export interface Edit {
	from: number;
	until: number;
}

/** After this time no execution that has read the password before logs in with it. */
const SETTLED_MS = 3000;

/** The account at the service, and what n8n's credential holds for it. */
export class Account {
	/** What n8n's credential has held; the last one is what was entered last. */
	readonly entered: EnteredPassword[] = [];

	readonly edits: Edit[] = [];

	/** Edits that n8n has undone: it stores a token by writing back the credential as it was read before. */
	readonly lostEdits: Edit[] = [];

	private isChanging = false;

	private constructor(
		private readonly service: Emulator,
		private readonly n8n: N8nInstance,
		readonly credential: string,
		private password: string,
	) {
		this.entered.push({ password, from: 0, until: Infinity });
	}

	static async create(service: Emulator, n8n: N8nInstance): Promise<Account> {
		const password = newPassword();
		service.settings.accounts[USERNAME] = password;
		const { baseUrl } = service;
		const credential = await n8n.createCredential({
			baseUrl,
			username: USERNAME,
			password,
			requestsPerMinute: 0,
		});
		return new Account(service, n8n, credential, password);
	}

	/** Changes the password at the service, which ends all tokens, and so much later in n8n. */
	async changePassword(lateMs: number): Promise<void> {
		await this.alone(async () => {
			this.password = newPassword();
			this.service.settings.accounts[USERNAME] = this.password;
			this.service.tokens.revokeAll();
			await sleep(lateMs);
			await this.enter(this.password);
		});
	}

	/** Enters a wrong password in n8n, and the right one so much later. */
	async enterWrongPassword(forMs: number): Promise<void> {
		await this.alone(async () => {
			await this.enter(newPassword());
			await sleep(forMs);
			await this.enter(this.password);
		});
	}

	/** Enters the password again, as a person would, where n8n logs in with one that was entered before. */
	async restore(): Promise<void> {
		const edit = this.edits.at(-1);
		if (!edit || this.isChanging) return;
		const login = this.service.journal
			.of('token')
			.map(loginOf)
			.find(({ at, password }) => at > edit.until + SETTLED_MS && password !== this.password);
		if (!login) return;
		await this.alone(async () => {
			this.lostEdits.push(edit);
			this.entered.push({ password: login.password, from: edit.from, until: Infinity });
			await this.enter(this.password);
		});
	}

	private async alone(change: () => Promise<void>): Promise<void> {
		this.isChanging = true;
		try {
			await change();
		} finally {
			this.isChanging = false;
		}
	}

	private async enter(password: string): Promise<void> {
		const before = this.entered.filter(({ until }) => until === Infinity);
		const from = Date.now();
		this.entered.push({ password, from, until: Infinity });
		await this.n8n.editCredential(this.credential, { password });
		const until = Date.now();
		for (const one of before) one.until = until;
		this.edits.push({ from, until });
	}
}

/** Edits that were undone although n8n stored no token meanwhile. */
export function faultsOfEdits(lostEdits: readonly Edit[], logins: readonly Login[]): string[] {
	const NEAR_MS = 2000;
	return lostEdits
		.filter(
			({ from, until }) =>
				!logins.some(
					({ at, token }) => token !== undefined && at > from - NEAR_MS && at < until + NEAR_MS,
				),
		)
		.map(({ from }) => `an edit at ${new Date(from).toISOString()} was undone without a new token`);
}

function newPassword(): string {
	return `fjord-${randomUUID()}`;
}
