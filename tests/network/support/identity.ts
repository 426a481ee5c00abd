import { api, type Browser, browser, database, type Member } from "../../support/network.ts";

/** Simulates what a member has besides a browser: a mailbox, a telephone, and passing time. */

/** Returns a browser in which the member has just signed in. */
export async function signedIn(member: Member): Promise<Browser> {
  const own = await browser();
  await own.signIn(member);
  return own;
}

/**
 * Simulates that ten minutes passed since the member's last sign-in. The browser learns it by refreshing its session.
 */
export async function growOld(member: Member, own: Browser): Promise<void> {
  const old = new Date(Date.now() - 10 * 60_000).toISOString();
  const ofMember = "WHERE local_id = (SELECT local_id FROM accounts WHERE email = ?2)";
  const identity = await database("identity");
  await identity.batch([
    identity.prepare(`UPDATE accounts SET valid_since = ?1 ${ofMember}`).bind(old, member.email),
    identity.prepare(`UPDATE sign_ins SET signed_in_at = ?1 ${ofMember}`).bind(old, member.email),
  ]);
  own.cookies.delete("soziIdAuth");
}

/** Adds a sign-in method to the member's account, as if linked. */
export async function haveLinked(member: Member, provider_id: string): Promise<void> {
  const statement = (await database("identity")).prepare(
    `INSERT INTO linked_identities (provider_id, federated_id, local_id, email, linked_at)
     SELECT ?1, ?2, local_id, email, ?3 FROM accounts WHERE email = ?4`,
  );
  await statement.bind(provider_id, crypto.randomUUID(), new Date().toISOString(), member.email).run();
}

/** Removes the address of the member's account, as after a sign-up by telephone. */
export async function loseAddress(member: Member): Promise<void> {
  const statement = (await database("identity")).prepare(
    "UPDATE accounts SET email = NULL, email_verified = 0, signs_in_by_email = 0, password_hash = NULL WHERE email = ?",
  );
  await statement.bind(member.email).run();
}

/** Marks the member's address as unproven. */
export async function leaveUnproven(member: Member): Promise<void> {
  const statement = (await database("identity")).prepare("UPDATE accounts SET email_verified = 0 WHERE email = ?");
  await statement.bind(member.email).run();
}

/** Returns the code of the newest link mailed to the address, or null. */
export async function mailedCode(email: string): Promise<string | null> {
  const { json } = await api("GET", "/emulator/v1/projects/demo-ofuse/oobCodes");
  const { oobCodes } = json as { oobCodes: { email: string; oobCode: string }[] };
  return oobCodes.findLast((each) => each.email === email)?.oobCode ?? null;
}

/** Returns the newest code sent to the number (E.164). */
export async function textedCode(phone_number: string): Promise<string> {
  const { json } = await api("GET", "/emulator/v1/projects/demo-ofuse/verificationCodes");
  const { verificationCodes } = json as { verificationCodes: { phoneNumber: string; code: string }[] };
  return verificationCodes.findLast((each) => each.phoneNumber === phone_number)?.code ?? "";
}
