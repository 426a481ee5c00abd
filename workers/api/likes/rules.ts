import { signText, verifySignature } from "../../kernel/digest.ts";
import { isId } from "../../kernel/ids.ts";

/** The signed text names its purpose, because the same key signs other things and no signature may pass for another. */
const signedText = (guest_id: string) => `guest likes ${guest_id}`;

/** Creates the token that identifies a guest's browser: the guest's id with our signature. */
export async function guestToken(guest_id: string, key: string): Promise<string> {
  return `${guest_id}.${await signText(signedText(guest_id), key)}`;
}

/** Returns the guest's id; null for a token that we did not sign. */
export async function guestOf(token: string, key: string): Promise<string | null> {
  const [guest_id = "", signature = "", ...more] = token.split(".");
  if (more.length > 0 || !isId(guest_id)) return null;
  return (await verifySignature(signedText(guest_id), signature, key)) ? guest_id : null;
}

/** How the column `liker` names a guest. */
export const guestLiker = (guest_id: string) => `guest-${guest_id}`;
