import { sign, verify } from "../../kernel/digest.ts";
import { isId } from "../../kernel/ids.ts";

/** What the signature is of: a key signs more than one kind of thing, and none must pass for another. */
const signed = (guest_id: string) => `guest likes ${guest_id}`;

/** What a visitor's browser keeps to like by: the guest's id and our signature. */
export async function guestToken(guest_id: string, key: string): Promise<string> {
  return `${guest_id}.${await sign(signed(guest_id), key)}`;
}

/** The guest's id; null for a token that we did not sign. */
export async function guestOf(token: string, key: string): Promise<string | null> {
  const [guest_id = "", signature = "", ...more] = token.split(".");
  if (more.length > 0 || !isId(guest_id)) return null;
  return (await verify(signed(guest_id), signature, key)) ? guest_id : null;
}

/** How a guest is called among those who like. */
export const guestLiker = (guest_id: string) => `guest-${guest_id}`;
