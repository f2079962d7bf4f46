/** Words that the people who use n8n at a fish farm do not use, or that say nothing. */
export const JARGON = /\b(?:error|problem|mistake|please|invalid|API|JSON|payload)\b/i;
