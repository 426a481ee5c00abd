import { signText, verifySignature } from "./digest.ts";

/**
 * Tokens in links of mails: words with our signature, which does not expire. The signed text names its purpose, because
 * the same key signs other things and no signature may pass for another.
 */

const signedText = (purpose: string, words: readonly string[]) => [purpose, ...words].join(" ");

/** Returns the token of these words, which contain no blank and no dot. */
export async function signToken(purpose: string, words: readonly string[], key: string): Promise<string> {
  return [...words, await signText(signedText(purpose, words), key)].join(".");
}

/** Returns the words of a token; null for a token that we did not sign for this purpose. */
export async function readToken(purpose: string, token: string, key: string): Promise<string[] | null> {
  const words = token.split(".");
  const signature = words.pop() ?? "";
  if (words.some((word) => !/^\w+$/.test(word))) return null;
  return (await verifySignature(signedText(purpose, words), signature, key)) ? words : null;
}
