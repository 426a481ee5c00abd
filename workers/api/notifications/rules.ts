/** Fills the gaps of a notification's sentence in one pass, so that a person named `{event}` keeps that name. */
export function fillGaps(message: string, words: { actor: string; event: string }): string {
  return message.replace(/\{(actor|event)\}/g, (_, gap: "actor" | "event") => words[gap]);
}
