/** Hides the account of whoever runs the tests from scripts. */
export const WITHOUT_ACCOUNT = Object.fromEntries(
	Object.keys(process.env)
		.filter((name) => name.startsWith('AQUACULTURE_'))
		.map((name) => [name, undefined]),
);
