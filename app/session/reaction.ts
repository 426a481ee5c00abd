import type { RouterContextProvider } from "react-router";
import { edgeContext, jarContext } from "../middleware/context.ts";

type Context = Readonly<RouterContextProvider>;

/**
 * What a creator answered with by itself, on its way from the form that sent the letter to the page that says so.
 * Encrypted: what this site shows as somebody's words is nobody else's to write.
 */
const REACTION_COOKIE = "reaction";
const REACTION_MAX_AGE_S = 60;
/** Encrypted and with its name it stays below what browsers keep: 4,096 bytes. */
const MAX_BYTES = 2600;

/** Keeps the words for the next page. Those too long for a cookie, which takes marks upon marks, are not shown. */
export async function keepReaction(context: Context, words: string): Promise<void> {
  if (new TextEncoder().encode(words).length > MAX_BYTES) return;
  const cookie = await context.get(edgeContext).session_keys.encrypt(words, REACTION_COOKIE, REACTION_MAX_AGE_S);
  context.get(jarContext).set(REACTION_COOKIE, cookie, REACTION_MAX_AGE_S);
}

/** The words that wait for this page, once; null when there are none. */
export async function takeReaction(context: Context): Promise<string | null> {
  const jar = context.get(jarContext);
  const cookie = jar.read(REACTION_COOKIE);
  jar.clear(REACTION_COOKIE);
  return cookie && context.get(edgeContext).session_keys.decrypt(cookie, REACTION_COOKIE);
}
