/** Words that are vague, or unfamiliar to staff of a fish farm. */
export const JARGON = /\b(?:error|problem|mistake|please|invalid|API|JSON|payload)\b/i;
