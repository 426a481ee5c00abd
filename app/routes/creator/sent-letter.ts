import type { RouterContextProvider } from "react-router";
import { id } from "../../../workers/contract/fields.ts";
import { jarContext } from "../../request/context.ts";
import { identityContext } from "../../session/context.ts";

type Context = Readonly<RouterContextProvider>;

/** What somebody is told once after sending a letter. */
export interface SentLetter {
  ofuse_id: string;
  /** What the creator has set to answer with by itself. */
  reaction: string | null;
}

/**
 * On its way from the form that sent the letter to the page that says so. Encrypted: what this site shows as somebody's
 * words is nobody else's to write.
 */
const COOKIE = "sent-letter";
const MAX_AGE_S = 60;
/** Encrypted and with its name it stays below what browsers keep: 4,096 bytes. */
const MAX_BYTES = 2600;
const SEPARATOR = "\n";

/** Keeps it for the next page. A reaction too long for a cookie, which takes marks upon marks, is not shown. */
export async function keepSentLetter(context: Context, { ofuse_id, reaction }: SentLetter): Promise<void> {
  const words = reaction && new TextEncoder().encode(reaction).length <= MAX_BYTES ? SEPARATOR + reaction : "";
  const cookie = await context.get(identityContext).session_keys.encrypt(ofuse_id + words, COOKIE, MAX_AGE_S);
  context.get(jarContext).set(COOKIE, cookie, MAX_AGE_S);
}

/** The letter that this page tells of, once; null when there is none. */
export async function takeSentLetter(context: Context): Promise<SentLetter | null> {
  const jar = context.get(jarContext);
  const cookie = jar.read(COOKIE);
  jar.clear(COOKIE);
  const text = cookie && (await context.get(identityContext).session_keys.decrypt(cookie, COOKIE));
  const [ofuse_id, ...lines] = (text ?? "").split(SEPARATOR);
  if (!id.safeParse(ofuse_id).success || !ofuse_id) return null;
  return { ofuse_id, reaction: lines.length > 0 ? lines.join(SEPARATOR) : null };
}
