/** An error whose message tells the user everything. It is printed without a stack. */
export class Refusal extends Error {}
