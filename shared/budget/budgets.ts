import type { Connection } from '../connection';
import { LastUsed } from '../lastUsed';
import { Budget } from './budget';

const MAX_BUDGETS = 100;

const budgets = new LastUsed(
	MAX_BUDGETS,
	() => new Budget(),
	(budget) => budget.isIdle(),
);

/**
 * The budget of an account in this process, whichever credential names it. For whom the service counts is not shown
 * (service interface, "Not shown there either"); an account is what a credential knows.
 */
export function budgetOf({ origin, username }: Pick<Connection, 'origin' | 'username'>): Budget {
	return budgets.get(`${origin} ${username}`);
}
