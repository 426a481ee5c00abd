/** A refusal whose message is all the user needs: printed without a stack. */
export class Refusal extends Error {}
