import type { ExchangeOutcome } from '../../../credentials/token/exchange';
import { TokenKeeper } from '../../../credentials/token/tokenKeeper';

/** An account whose tokens end a second after they are issued, as far as is said of them. */
class Account {
	now = 1_000_000;

	logins = 0;

	readonly keeper = new TokenKeeper(
		() => this.now,
		() => this.now,
	);

	/** Chooses a token for a request, obtaining one where that is needed. */
	async request(): Promise<void> {
		const token = this.keeper.choose(undefined);
		if (token) this.keeper.accept(token, 'site');
		else await this.keeper.renew(false, this.login);
	}

	async replace(): Promise<void> {
		const token = this.keeper.choose(undefined);
		if (token) await this.keeper.replace(token, this.login);
	}

	private readonly login = async (): Promise<ExchangeOutcome> => {
		this.logins += 1;
		const token = { value: `token-${this.logins}`, issuedAt: this.now, endsAt: this.now + 1000 };
		return await Promise.resolve({ token });
	};
}

describe('an account whose tokens end at once', () => {
	it('logs in four times in 30 seconds at the most, and goes on with the token that it has', async () => {
		const account = new Account();

		for (let count = 0; count < 290; count++) {
			await account.request();
			if (count === 200) await account.replace();
			account.now += 100;
		}
		expect(account.logins).toBe(4);

		account.now += 5000;
		await account.request();
		expect(account.logins).toBe(5);
	});
});
