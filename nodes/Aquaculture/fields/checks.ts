import type { Checked } from '../../../texts/checked';
import { VALUE_FAULTS } from '../../../texts/faults';
import { FIELD_FAULTS } from '../../../texts/fieldFaults';
import { MINUTE_MS } from '../../../texts/duration';

/** A waiting time, typed in seconds; the value is in milliseconds. */
export function checkSeconds(typed: unknown, largest: number): Checked<number> {
	const seconds = typedNumber(typed);
	if (!(seconds > 0 && seconds <= largest)) {
		return FIELD_FAULTS.secondsOutside(typed, largest);
	}
	return { value: seconds * 1000 };
}

/** A whole number from 1 to a largest one. */
export function checkCount(typed: unknown, largest: number): Checked<number> {
	const count = typedNumber(typed);
	if (Number.isInteger(count) && count >= 1 && count <= largest) return { value: count };
	return VALUE_FAULTS.countOutside(typed, 1, largest);
}

/** A waiting time, typed in minutes, 0 included; the value is in milliseconds. */
export function checkMinutes(typed: unknown, largest: number): Checked<number> {
	const minutes = typedNumber(typed);
	if (!(minutes >= 0 && minutes <= largest)) {
		return FIELD_FAULTS.minutesOutside(typed, largest);
	}
	return { value: minutes * MINUTE_MS };
}

/** A checkbox, which an expression may also fill with the words true and false. */
export function checkSwitch(typed: unknown): Checked<boolean> {
	if (typed === true || typed === 'true') return { value: true };
	if (typed === false || typed === 'false') return { value: false };
	return FIELD_FAULTS.notSwitch(typed);
}

/** Some of a number of choices, each once, in the order in which they are offered. */
export function checkChoices<T extends string>(
	typed: unknown,
	offered: readonly T[],
): Checked<T[]> {
	if (!Array.isArray(typed)) return FIELD_FAULTS.notChoices(typed);
	const unknown = (typed as unknown[]).find((choice) => !offered.includes(choice as T));
	if (unknown !== undefined) return FIELD_FAULTS.unknownChoice(unknown);
	return { value: offered.filter((choice) => typed.includes(choice)) };
}

/** A number, even if it was typed as a text; NaN for anything else. */
function typedNumber(typed: unknown): number {
	if (typeof typed === 'string' && typed.trim() !== '') return Number(typed);
	return typeof typed === 'number' ? typed : NaN;
}
