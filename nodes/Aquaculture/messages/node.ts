import { withoutQuotedValue, plural, quote } from '../utils/text';
import type { FailureText } from './failureText';
import type { Invalid } from './invalid';
import { SENTENCES } from './phrases';

/** Who reads a message about a field of the node. */
interface Audience {
	/** Whether it is for an AI agent, which can only call the tool again. */
	isTool: boolean;
	/** Whether the field is evaluated for each item. */
	hasItems: boolean;
}

function howToCorrect(label: string, { isTool, hasItems }: Audience): string {
	if (isTool) return 'Call this tool again with a value that is accepted, or ask the user for one.';
	const check = hasItems
		? 'check what the previous node returns for this item'
		: 'check its result';
	return `Correct '${label}' in the node. If it contains an expression, ${check}.`;
}

/** About the fields and input items of a node. */
export const NODE_MESSAGES = {
	/** Shown instead of a list of sites. */
	noSites: () => "Enter 'Known Sites' in the credential, or choose 'By ID'",
	field: (
		label: string,
		{ reason, description, toolDescription }: Invalid,
		audience: Audience,
	): FailureText => ({
		message: `'${label}' ${reason}`,
		description:
			(audience.isTool ? toolDescription : undefined) ??
			description ??
			howToCorrect(label, audience),
		// Not the value: an expression may change it at each poll.
		failureKey: `${label} ${withoutQuotedValue(reason)}`,
	}),
	/**
	 * @param items the unusable items, counted from 1.
	 * @param advice what to do about the first one.
	 */
	unusableItems: (
		items: ReadonlyArray<{ number: number; message: string }>,
		advice: string,
	): FailureText => {
		const MAX_NAMED = 3;
		const [first, ...others] = items;
		const continueWithout = SENTENCES.continueWithout(others.length === 0 ? 'item' : 'items');
		if (first && others.length === 0) {
			return {
				message: `${first.message} (input item ${first.number})`,
				description: `${advice} ${continueWithout}`,
			};
		}
		const named = items.slice(0, MAX_NAMED);
		const unnamed = items.length - named.length;
		return {
			message: `${items.length} input items cannot be used (first: item ${first?.number})`,
			description: [
				...named.map(({ number, message }) => `Item ${number}: ${message}.`),
				...(unnamed > 0 ? [`${plural(unnamed, 'more item')} cannot be used either.`] : []),
				`${advice} ${continueWithout}`,
			].join('\n'),
		};
	},
	customApiCall: (): FailureText => ({
		message: 'This node does not support custom API calls',
		description: "Choose an operation, or use n8n's HTTP Request node with this credential.",
	}),
	operation: (name: string): FailureText => ({
		message: `The operation ${quote(name)} does not exist`,
		description:
			'Choose an operation in the node. The workflow may have been made for another version of it.',
	}),
};
