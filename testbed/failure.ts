/** Says in a sentence what is wrong: a command prints it instead of a stack. */
export class Failure extends Error {}
