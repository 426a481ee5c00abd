import { isoTime } from "../../kernel/clock.ts";
import { sha256Hex, signText } from "../../kernel/digest.ts";
import { newId } from "../../kernel/ids.ts";
import type { Identity } from "../storage/database.ts";
import type { AttemptKind } from "../storage/schema.ts";
import { Refusal } from "./refusal.ts";

/**
 * Rate limits on guesses and mails. Source: decisions, "Limits".
 *
 * Repeated failures lock an account's password for an hour, but only for networks the account was never signed in from.
 * Each known network has its own count (as with OWASP's device cookies). The other sign-in methods, such as an e-mail
 * link or a password reset, stay open from anywhere and clear the count. So a stranger cannot lock out the owner.
 */

const MINUTE_MS = 60 * 1000;
const HOUR_MS = 60 * MINUTE_MS;

/** The limit is the variable times `factor`, if there is one. */
const limits: Record<AttemptKind, { window_ms: number; variable: keyof IdentityEnv; factor?: number }> = {
  /** Wrong passwords for one account, counted together for all networks from which it was never signed in. */
  account_sign_in: { window_ms: HOUR_MS, variable: "SIGN_IN_FAILURES_PER_ACCOUNT_HOUR" },
  /** Wrong passwords for one account from one network from which it was signed in before. */
  known_sign_in: { window_ms: HOUR_MS, variable: "SIGN_IN_FAILURES_PER_ACCOUNT_HOUR" },
  address_sign_in: { window_ms: 10 * MINUTE_MS, variable: "SIGN_IN_FAILURES_PER_ADDRESS_10_MIN" },
  address_sign_up: { window_ms: HOUR_MS, variable: "SIGN_UPS_PER_ADDRESS_HOUR" },
  /**
   * Mails of one kind to one recipient, with links that work without an account. When the limit is reached, the recipient
   * has working links, even if another person asked for them.
   */
  recipient_mail: { window_ms: HOUR_MS, variable: "MAILS_PER_RECIPIENT_HOUR" },
  /** Mails of one kind to one recipient, with links that work for one account alone. */
  account_and_recipient_mail: { window_ms: HOUR_MS, variable: "MAILS_PER_RECIPIENT_HOUR" },
  /**
   * The same for all accounts, so that many accounts cannot flood a mailbox. Other accounts must not easily use it up: the
   * recipient has no link that works for their own. So it exceeds the mails of one client's address.
   */
  all_accounts_recipient_mail: { window_ms: HOUR_MS, variable: "MAILS_PER_RECIPIENT_HOUR", factor: 6 },
  address_mail: { window_ms: HOUR_MS, variable: "MAILS_PER_ADDRESS_HOUR" },
  /** Invalid mailed links, counted by the client's address. */
  address_link: { window_ms: 10 * MINUTE_MS, variable: "LINK_FAILURES_PER_ADDRESS_10_MIN" },
  /** Guesses of the first operator's key. */
  address_first_key: { window_ms: 10 * MINUTE_MS, variable: "SIGN_IN_FAILURES_PER_ADDRESS_10_MIN" },
  /** New recovery codes of one account, because each time its owner gets a mail. */
  account_recovery_codes: { window_ms: HOUR_MS, variable: "MAILS_PER_RECIPIENT_HOUR" },
  account_second_factor: { window_ms: 60 * MINUTE_MS, variable: "SECOND_FACTOR_FAILURES_PER_ACCOUNT_HOUR" },
  number_code: { window_ms: 60 * MINUTE_MS, variable: "CODES_PER_NUMBER_HOUR" },
  number_and_address_code: { window_ms: 60 * MINUTE_MS, variable: "CODES_PER_NUMBER_AND_ADDRESS_HOUR" },
  address_code: { window_ms: 60 * MINUTE_MS, variable: "CODES_PER_ADDRESS_HOUR" },
};

/**
 * Counts an attempt before it is made, so that parallel attempts cannot pass the limit together. The caller deletes a
 * successful attempt with {@link forgetAttempts}. Returns the attempt's id. Throws TOO_MANY_ATTEMPTS_TRY_LATER.
 */
export async function countAttempt(identity: Identity, kind: AttemptKind, subject: string): Promise<string> {
  return countHashedAttempt(identity, kind, await sha256Hex(subject));
}

async function countHashedAttempt(identity: Identity, kind: AttemptKind, hash: string): Promise<string> {
  const { db, env, now, now_ms } = identity;
  const { window_ms, variable, factor = 1 } = limits[kind];
  const counted = await db
    .insertInto("attempts")
    .columns(["attempt_id", "kind", "subject", "attempted_at"])
    .expression((eb) => {
      const recent = eb
        .selectFrom("attempts")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .where("kind", "=", kind)
        .where("subject", "=", hash)
        .where("attempted_at", ">", isoTime(now_ms - window_ms));
      return db
        .selectNoFrom([
          eb.val(newId(now_ms)).as("attempt_id"),
          eb.val(kind).as("kind"),
          eb.val(hash).as("subject"),
          eb.val(now).as("attempted_at"),
        ])
        .where(recent, "<", Number(env[variable]) * factor);
    })
    .returning("attempt_id")
    .executeTakeFirst();
  if (!counted) throw new Refusal("TOO_MANY_ATTEMPTS_TRY_LATER");
  return counted.attempt_id;
}

/**
 * Counts an attempt by the client's network address, if known. Returns the ids of the counted attempts, for {@link
 * forgetAttempts}.
 */
export async function countAddressAttempt(
  identity: Identity,
  kind: "address_sign_in" | "address_sign_up" | "address_mail" | "address_link" | "address_first_key",
): Promise<string[]> {
  const { address } = identity.client;
  return address ? [await countAttempt(identity, kind, address)] : [];
}

/**
 * Counts a password attempt for an e-mail address, whether or not it has an account. Returns the ids of the counted
 * attempts, for {@link forgetAttempts}.
 */
export async function countSignIn(identity: Identity, email: string): Promise<string[]> {
  const attempts = await countAddressAttempt(identity, "address_sign_in");
  const network_hash = (await networkHash(identity)) ?? "";
  const counted = (await knowsNetwork(identity, email, network_hash))
    ? countHashedAttempt(identity, "known_sign_in", await knownSignInOf(email, network_hash))
    : countAttempt(identity, "account_sign_in", email);
  attempts.push(await counted);
  return attempts;
}

/** Returns the part of a `known_sign_in` subject that all networks of an account share: 128 bits of the address's hash. */
const knownSignInPrefix = async (email: string) => (await sha256Hex(email)).slice(0, 32);

/** Returns the subject of `known_sign_in`. Half of it is the address's, so that the counts of all networks are found by it. */
async function knownSignInOf(email: string, network_hash: string): Promise<string> {
  return (await knownSignInPrefix(email)) + (await sha256Hex(network_hash)).slice(0, 32);
}

/**
 * Counts a guess at the account's second factor. As with passwords, each network from which the account was signed in
 * has its own count, so that a person who knows the password cannot lock out the owner. Returns the attempt's id, for
 * {@link forgetAttempts}.
 */
export async function countSecondFactor(identity: Identity, local_id: string): Promise<string> {
  const known = await identity.db
    .selectFrom("known_networks")
    .select("network_hash")
    .where("local_id", "=", local_id)
    .where("network_hash", "=", (await networkHash(identity)) ?? "")
    .executeTakeFirst();
  return countAttempt(identity, "account_second_factor", known ? `${local_id} ${known.network_hash}` : local_id);
}

/** Returns the statement that deletes these attempts. */
export function forgetAttempts({ db }: Identity, attempt_ids: string[]) {
  return db.deleteFrom("attempts").where("attempt_id", "in", attempt_ids);
}

/**
 * Returns the statement that clears the wrong passwords of this address, from unknown and from known networks, after its
 * owner has authenticated in another way.
 */
export async function forgetSignInFailures({ db }: Identity, email: string) {
  const [hash, prefix] = await Promise.all([sha256Hex(email), knownSignInPrefix(email)]);
  return db.deleteFrom("attempts").where((eb) =>
    eb.or([
      eb("kind", "=", "account_sign_in").and("subject", "=", hash),
      // `g` comes after every hexadecimal digit.
      eb("kind", "=", "known_sign_in").and("subject", ">=", prefix).and("subject", "<", `${prefix}g`),
    ]),
  );
}

/**
 * Counts a mail of this kind before it is written. Throws TOO_MANY_ATTEMPTS_TRY_LATER.
 *
 * @param local_id the only account for which the mail's link works; absent for a link that needs none.
 */
export async function countMail(identity: Identity, recipient: string, kind: string, local_id?: string): Promise<void> {
  await countAddressAttempt(identity, "address_mail");
  const mail = `${kind} ${recipient}`;
  if (local_id === undefined) {
    await countAttempt(identity, "recipient_mail", mail);
  } else {
    await countAttempt(identity, "account_and_recipient_mail", `${local_id} ${mail}`);
    await countAttempt(identity, "all_accounts_recipient_mail", mail);
  }
}

/** Returns the client's network as it is stored (hashed), or null for a client without an address. */
export async function networkHash({ client, env }: Identity): Promise<string | null> {
  // Stored hashes of IPv6 networks were made of their first half alone.
  const network = client.address?.replace(/::\/64$/, "");
  return network ? signText(`known network ${network}`, env.ENCRYPTION_KEY) : null;
}

/** Runs one and the same query for every address, whether or not it has an account, so that timing reveals nothing. */
async function knowsNetwork(identity: Identity, email: string, network_hash: string): Promise<boolean> {
  const known = await identity.db
    .selectFrom("known_networks")
    .innerJoin("accounts", "accounts.local_id", "known_networks.local_id")
    .select("network_hash")
    .where("accounts.email", "=", email)
    .where("network_hash", "=", network_hash)
    .executeTakeFirst();
  return known !== undefined;
}
