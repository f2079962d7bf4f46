import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { IDataObject } from 'n8n-workflow';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail extends Email {
	recipients: string[];
}

const ACCOUNT = { user: 'reports', password: 'a password of tests' };

/** A mail server on loopback that accepts mails of one account and delivers none. */
export class MailServer {
	readonly mails: ReceivedMail[] = [];

	private readonly server = new SMTPServer({
		allowInsecureAuth: true,
		disabledCommands: ['STARTTLS'],
		onAuth: ({ username, password }, _session, callback) => {
			const isKnown = username === ACCOUNT.user && password === ACCOUNT.password;
			callback(isKnown ? null : new Error('Unknown account'), { user: username });
		},
		onData: (stream, { envelope }, callback) => {
			const recipients = envelope.rcptTo.map(({ address }) => address);
			this.receive(stream, recipients).then(() => callback(), callback);
		},
	});

	async start(): Promise<this> {
		await once(this.server.listen(0, '127.0.0.1'), 'listening');
		return this;
	}

	async stop(): Promise<void> {
		await new Promise<void>((resolve) => this.server.close(resolve));
	}

	/** For n8n's credential `smtp`. */
	get credential(): IDataObject {
		const { port } = this.server.server.address() as AddressInfo;
		return { ...ACCOUNT, host: '127.0.0.1', port, secure: false, disableStartTls: true };
	}

	private async receive(stream: Readable, recipients: string[]): Promise<void> {
		this.mails.push({ ...(await PostalMime.parse(await buffer(stream))), recipients });
	}
}
