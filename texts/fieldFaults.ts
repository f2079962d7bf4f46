import { quote } from './checked';
import type { Fault } from './faults';

/** Where a site is entered. */
interface SitePlace {
	/** Whether only a known site can be meant. */
	byName: boolean;
	/** Whether an AI agent enters it. */
	isTool: boolean;
	/** Whether the service's list of sites has names too. */
	hasList: boolean;
}

/** The ways to enter a site, as a sentence. */
export function enterSite({ byName, isTool, hasList }: SitePlace): string {
	if (isTool) return 'Call this tool again with a known name or an ID, or ask for it.';
	const names = `${hasList ? "the service's list of sites or " : ''}'Known Sites' in the credential`;
	return byName
		? `Enter a name from ${names}, such as Storvågen or Storvågen (1001). To enter an ID, choose 'By ID'.`
		: `Enter the ID of the site, or its name from ${names}, such as 1001, Storvågen or Storvågen (1001).`;
}

/** What is wrong with what was typed into a field: the end of a sentence that begins with the name of the field. */
export const FIELD_FAULTS = {
	severalSites: (typed: unknown): Fault => ({
		fault: `contains a list of sites: ${quote(typed)}`,
		description: "Choose the operation 'Get Many Sites' to read several sites.",
	}),
	/** @param similar names that are known. */
	unknownName: (name: string, similar: readonly string[], place: SitePlace): Fault => ({
		fault: `contains an unknown site: ${quote(name)}`,
		description: [
			...(similar.length > 0 ? [`Similar names: ${similar.map(quote).join(', ')}.`] : []),
			enterSite(place),
		].join(' '),
	}),
	sharedName: (name: string, siteIds: readonly number[]): Fault => ({
		fault: `names more than one site: ${quote(name)}`,
		description: `Enter the ID instead. The sites of this name have the IDs ${siteIds.join(' and ')}.`,
	}),
	noKnownSites: (): Fault => ({
		fault: 'has no known sites to choose from',
		description:
			"Enter your sites in 'Known Sites' in the credential, one per line, its ID and then its name, or choose 'By ID'.",
	}),
	secondsOutside: (typed: unknown, largest: number): Fault => ({
		fault: `is not a number of seconds above 0 and up to ${largest}: ${quote(typed)}`,
	}),
	minutesOutside: (typed: unknown, largest: number): Fault => ({
		fault: `is not a number of minutes from 0 to ${largest}: ${quote(typed)}`,
	}),
	notSwitch: (typed: unknown): Fault => ({ fault: `is neither true nor false: ${quote(typed)}` }),
	notChoices: (typed: unknown): Fault => ({ fault: `is not a list of choices: ${quote(typed)}` }),
	unknownChoice: (choice: unknown): Fault => ({
		fault: `contains a choice that does not exist: ${quote(choice)}`,
	}),
	notHttps: (): Fault => ({
		fault: 'must begin with https://',
		description:
			'Enter the address in the credential as the operator of the service gave it to you.',
	}),
	plainHttp: (): Fault => ({
		fault: 'must begin with https://',
		description:
			"With http:// the password is sent unencrypted. If the operator of the service offers nothing else, turn on 'Allow Plain HTTP' in the credential.",
	}),
	notAddress: (): Fault => ({ fault: 'is not a web address' }),
	userInAddress: (): Fault => ({
		fault: 'must not contain a user name or password',
		description: "Move them to 'Username' and 'Password' in the credential.",
	}),
	queryInAddress: (): Fault => ({ fault: 'must end before the first ? or #' }),
	notBelowBaseUrl: (): Fault => ({
		fault: "is not an address below 'Base URL'",
		description:
			"Enter the part after 'Base URL', such as /list/of/sites?all=true, as the operator of the service gave it to you: without .., # or blanks. Leave it empty if you have none.",
	}),
	notHeaderName: (): Fault => ({
		fault: 'contains a character that the name of a header cannot have',
	}),
	headerInUse: (header: string): Fault => ({
		fault: `cannot be ${header}, which a request needs for itself`,
	}),
};

/** A line of 'Known Sites' that cannot be used as it is. */
export interface KnownSiteFault {
	/** Counted from 1. */
	line: number;
	text: string;
	fault: string;
	/** Whether the site that it means is not known for that reason. */
	isLeftOut: boolean;
}

/** Why a line of 'Known Sites' is to be corrected: the end of a sentence that begins with the line. */
export const LINE_FAULTS = {
	noId: () => 'does not begin with a site ID',
	repeatedId: (line: number) => `repeats the ID of line ${line}`,
	repeatedName: (line: number) => `repeats the name of line ${line}`,
};
