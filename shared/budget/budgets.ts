import type { Connection } from '../connection';
import { Budget } from './budget';

/** How many accounts are remembered; of those with nothing to remember, the ones that were used last. */
const MAX_BUDGETS = 100;

const budgets = new Map<string, Budget>();

/**
 * The budget of an account in this process, whichever credential names it. For whom the service counts is not shown
 * (service interface, "Not shown there either"); an account is what a credential knows.
 */
export function budgetOf({ origin, username }: Pick<Connection, 'origin' | 'username'>): Budget {
	const account = `${origin} ${username}`;
	const budget = budgets.get(account) ?? new Budget();
	// The one that was used last comes last.
	budgets.delete(account);
	budgets.set(account, budget);
	if (budgets.size > MAX_BUDGETS) forgetOne();
	return budget;
}

function forgetOne(): void {
	for (const [account, budget] of budgets) {
		if (budget.isIdle()) {
			budgets.delete(account);
			return;
		}
	}
}
