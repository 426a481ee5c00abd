import { ID_PATTERN } from "../../contract/fields.ts";
import { readToken, signToken } from "../../kernel/signed-token.ts";
import type { SignInMarks } from "../../verifier/index.ts";

/** Time between a token and the opening of its socket. A socket that is open needs no token. */
export const CHAT_TOKEN_MS = 60_000;
const PURPOSE = "radio-chat";
const NOBODY = "none";

/** What a token says. */
export interface ChatTicket {
  radio_id: string;
  /** The member; null for a visitor. */
  user_id: string | null;
  /** The member's sign-in; null for a visitor. */
  sign_in: SignInMarks | null;
  /** The hash of the radio's key that the caller has; null without one. */
  url_key_hash: string | null;
  /** Whom a socket is counted for: the member, or the hash of a visitor's address. */
  holder: string;
}

/** Returns the token that opens a chat until `expires_ms`. */
export function signChatToken(ticket: ChatTicket, expires_ms: number, key: string): Promise<string> {
  const { radio_id, user_id, sign_in, url_key_hash, holder } = ticket;
  // Hexadecimal, because the words of a token contain no hyphen.
  const marks = sign_in && Buffer.from(JSON.stringify(sign_in)).toString("hex");
  const words = [radio_id, user_id ?? NOBODY, marks ?? NOBODY, url_key_hash ?? NOBODY, holder];
  return signToken(PURPOSE, [...words, String(expires_ms)], key);
}

/** Returns what a token says; null for one that we did not sign for chats or that has expired. */
export async function readChatToken(token: string, now_ms: number, key: string): Promise<ChatTicket | null> {
  const [radio_id = "", user_id = "", marks = "", url_key_hash = "", holder = "", expires_ms, ...others] =
    (await readToken(PURPOSE, token, key)) ?? [];
  if (!ID_PATTERN.test(radio_id) || others.length > 0 || !(Number(expires_ms) > now_ms)) return null;
  return {
    radio_id,
    user_id: user_id === NOBODY ? null : user_id,
    sign_in: marks === NOBODY ? null : JSON.parse(Buffer.from(marks, "hex").toString()),
    url_key_hash: url_key_hash === NOBODY ? null : url_key_hash,
    holder,
  };
}
