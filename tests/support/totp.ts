import { fromBase32, hotp, stepAt } from "../../workers/identity/provider/totp.ts";

/** What an authenticator app shows for the key; `ahead` is a later one, which is good as well, and was not used yet. */
export function codeOfKey(key: string, ahead = 0): Promise<string> {
  return hotp(fromBase32(key.replaceAll(" ", "")), stepAt(Date.now()) + ahead, 6);
}
