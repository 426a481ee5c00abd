import { toNormalForm } from "../../contract/normal-form.ts";
import { sha256Hex } from "../../kernel/digest.ts";
import { commit, type Identity } from "../storage/database.ts";
import type { Account } from "../storage/schema.ts";
import { mailOwner } from "./owner-mails.ts";

/** Recovery codes replace a lost second factor: ten codes of 60 bits, each valid once, stored hashed. */

const CODES = 10;
const GROUPS = 3;
const GROUP_LENGTH = 4;
/** The letters of Crockford's base32, which leaves out letters that look like others. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

/** Creates ten codes (`3k7d-9fxq-m2wp`), and mails the owner. The earlier ones stop working. */
export async function replaceRecoveryCodes(identity: Identity, account: Account): Promise<string[]> {
  const { db, env, now } = identity;
  const { local_id } = account;
  const codes = Array.from({ length: CODES }, newCode);
  const values = await Promise.all(
    codes.map(async (code) => ({ local_id, code_hash: await hashCode(env, local_id, code), created_at: now })),
  );
  await commit(
    identity,
    db.deleteFrom("recovery_codes").where("local_id", "=", local_id),
    db.insertInto("recovery_codes").values(values),
    mailOwner(identity, account, "recovery_codes_created", {}),
  );
  return codes;
}

/** Returns how many unused recovery codes the account has. */
export async function countRecoveryCodes({ db }: Identity, local_id: string): Promise<number> {
  const { count } = await db
    .selectFrom("recovery_codes")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("local_id", "=", local_id)
    .executeTakeFirstOrThrow();
  return count;
}

/** Uses a recovery code up. Returns false for an invalid code. */
export async function takeRecoveryCode({ db, env }: Identity, local_id: string, typed: string): Promise<boolean> {
  const taken = await db
    .deleteFrom("recovery_codes")
    .where("local_id", "=", local_id)
    .where("code_hash", "=", await hashCode(env, local_id, typed))
    .returning("code_hash")
    .executeTakeFirst();
  return taken !== undefined;
}

function newCode(): string {
  const random = crypto.getRandomValues(new Uint8Array(GROUPS * GROUP_LENGTH));
  const letters = Array.from(random, (byte) => ALPHABET[byte % ALPHABET.length]).join("");
  return (letters.match(new RegExp(`.{${GROUP_LENGTH}}`, "g")) ?? []).join("-");
}

/**
 * Hashes a recovery code, in any typed form: full width, capitals, spaces, an o for a zero. The HMAC's secret keeps a
 * thief of the table from trying codes.
 */
function hashCode(env: IdentityEnv, local_id: string, typed: string): Promise<string> {
  const code = toNormalForm(typed, "NFKC")
    .toLowerCase()
    .replaceAll("o", "0")
    .replace(/[il]/g, "1")
    .replace(/[^0-9a-z]/g, "");
  return sha256Hex(`recovery code ${env.ENCRYPTION_KEY} ${local_id} ${code}`);
}
