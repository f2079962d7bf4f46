/** What docs/service-interface.md leaves open, what the package assumes, the fact that shows it, and a pattern of what is as assumed. */
const TABLE = `
Status of a login that works             | 200 to 299                                         | login.status        | 2\\d\\d$
Form of the token                        | The characters of a bearer token; it may be a JWT  | token.form          | those
Lifetime in the token                    | \`exp\` less \`iat\`, in seconds, if it has both     | token.lifetime      | ^It|^\\d
Unit of \`expires_in\`                    | Seconds; used only if the token does not say it    | token.unit          | : seconds$
Whether a login ends earlier tokens      | It may; a rejected token is replaced               | firstToken.status   | 2\\d\\d$|40[13]$
Answer to \`$include=units,info\`         | Both parts                                         | both.parts          | ^info and units$
Answer without \`$include\`               | Neither part: each is missing or null              | none.parts          | ^neither$
Answer to \`$include=info\`               | \`info\` alone                                      | info.parts          | ^info$
Answer to \`$include=units\`              | \`units\` alone                                     | units.parts         | ^units$
An encoded \`$\`                          | The same as a plain one                            | encodedDollar.parts | ^info and units$
An encoded comma                         | The same as a plain one                            | encodedComma.parts  | ^info and units$
The parameter spelled \`include\`         | Not known to the service: neither part             | otherName.parts     | ^neither$
Fields that are missing or null          | Each may be                                        | site.absent         |
Types of the fields of a site            | As documented                                      | site.types          | ^As
\`siteId\` of the answer                  | The number that was asked for, missing or null     | site.id             | ^(?!.*another)
Fields that are not documented           | There may be some; they are passed on              | site.undocumented   |
Answer for an unknown site               | Status 404                                         | unknownSite.status  | 404$
Answer to an unsupported version         | Status 400                                         | badVersion.status   | 400$
Answer to a token that is not accepted   | Status 401 or 403                                  | wrongToken.status   | 40[13]$
Body of an unsuccessful answer           | Texts \`code\`, \`message\`, \`traceId\`, or some    | failure.body        | ^Such
A JSON object in a successful answer     | Always, whatever the content type says             | success.body        | ^Always
Redirects                                | None                                               | redirects           | ^None
`;

interface Assumption {
	open: string;
	assumed: string;
	/** The name of what was seen, as `factsOf` has it. */
	fact: string;
	/** Matches what is as assumed. */
	holds: RegExp;
}

export const ASSUMPTIONS: readonly Assumption[] = TABLE.trim()
	.split('\n')
	.map((row) => {
		const [open = '', assumed = '', fact = '', ...pattern] = row
			.split('|')
			.map((cell) => cell.trim());
		return { open, assumed, fact, holds: new RegExp(pattern.join('|')) };
	});
