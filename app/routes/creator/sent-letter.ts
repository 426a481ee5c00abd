import type { RouterContextProvider } from "react-router";
import { id } from "../../../workers/contract/fields.ts";
import { jarContext } from "../../request/context.ts";
import { identityContext } from "../../session/context.ts";

type Context = Readonly<RouterContextProvider>;

/** The notice that the sender sees once after sending a letter. */
export interface SentLetter {
  ofuse_id: string;
  /** The creator's automatic answer (see "reaction" in the glossary). */
  reaction: string | null;
}

/**
 * The cookie that carries the notice from the action to the next page. It is encrypted, so that nobody can forge a
 * reaction in the creator's name.
 */
const COOKIE = "sent-letter";
const MAX_AGE_S = 60;
/** The longest reaction that keeps the encrypted cookie below 4,096 bytes, the most that browsers store. */
const MAX_BYTES = 2600;
const SEPARATOR = "\n";

/**
 * Stores the notice for the next page. Drops a reaction too long for a cookie, such as text full of combining marks.
 */
export async function keepSentLetter(context: Context, { ofuse_id, reaction }: SentLetter): Promise<void> {
  const words = reaction && new TextEncoder().encode(reaction).length <= MAX_BYTES ? SEPARATOR + reaction : "";
  const cookie = await context.get(identityContext).session_keys.encrypt(ofuse_id + words, COOKIE, MAX_AGE_S);
  context.get(jarContext).set(COOKIE, cookie, MAX_AGE_S);
}

/** Reads and deletes the notice. Returns null if the cookie has none. */
export async function takeSentLetter(context: Context): Promise<SentLetter | null> {
  const jar = context.get(jarContext);
  const cookie = jar.read(COOKIE);
  jar.clear(COOKIE);
  const text = cookie && (await context.get(identityContext).session_keys.decrypt(cookie, COOKIE));
  const [ofuse_id, ...lines] = (text ?? "").split(SEPARATOR);
  if (!id.safeParse(ofuse_id).success || !ofuse_id) return null;
  return { ofuse_id, reaction: lines.length > 0 ? lines.join(SEPARATOR) : null };
}
