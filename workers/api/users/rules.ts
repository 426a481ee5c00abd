const LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";

/** A link_id for somebody who has not chosen one: `user_` and ten random letters. */
export function randomLinkId(): string {
  const random = crypto.getRandomValues(new Uint8Array(10));
  return `user_${Array.from(random, (byte) => LETTERS[byte % LETTERS.length]).join("")}`;
}
