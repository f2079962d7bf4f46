/** Commands print its message without a stack. */
export class UserFacingError extends Error {}
