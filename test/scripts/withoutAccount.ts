/** An environment for scripts: the account of whoever runs the tests is none of their business. */
export const WITHOUT_ACCOUNT = Object.fromEntries(
	Object.keys(process.env)
		.filter((name) => name.startsWith('AQUACULTURE_'))
		.map((name) => [name, undefined]),
);
