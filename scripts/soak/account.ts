import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Emulator } from '../../emulator/server';
import type { N8nInstance } from '../n8n/instance';

export const USERNAME = 'demo';

/** A password that stood in n8n's credential, and when it may have been read there. */
export interface EnteredPassword {
	password: string;
	/** Milliseconds since 1970. */
	from: number;
	until: number;
}

/** The account at the service, and what n8n's credential holds for it. */
export class Account {
	readonly entered: EnteredPassword[] = [];

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
		const credential = await n8n.createCredential({ baseUrl, username: USERNAME, password });
		return new Account(service, n8n, credential, password);
	}

	/** Changes the password at the service, which ends all tokens, and so much later in n8n. */
	async changePassword(lateMs: number): Promise<void> {
		this.password = newPassword();
		this.service.settings.accounts[USERNAME] = this.password;
		this.service.tokens.revokeAll();
		await sleep(lateMs);
		await this.enter(this.password);
	}

	/** Enters a wrong password in n8n, and the right one so much later. */
	async enterWrongPassword(forMs: number): Promise<void> {
		await this.enter(newPassword());
		await sleep(forMs);
		await this.enter(this.password);
	}

	private async enter(password: string): Promise<void> {
		const before = this.entered.at(-1);
		this.entered.push({ password, from: Date.now(), until: Infinity });
		await this.n8n.editCredential(this.credential, { password });
		if (before) before.until = Date.now();
	}
}

function newPassword(): string {
	return `fjord-${randomUUID()}`;
}
