/** An error with a message for the user. Commands print the message without a stack. */
export class Refusal extends Error {}
