import type { SignIn } from "../../contract/identity.ts";
import type { Identity } from "../storage/database.ts";

const SIGN_INS_SHOWN = 100;

/** Lists the browsers the account is signed in with, last used first. */
export async function listSignIns({ db }: Identity, local_id: string, current_id: string): Promise<SignIn[]> {
  const rows = await db
    .selectFrom("sign_ins")
    .select(["sign_in_id", "sign_in_provider", "device", "signed_in_at", "last_used_at"])
    .where("local_id", "=", local_id)
    .where("revoked_at", "is", null)
    .orderBy("last_used_at", "desc")
    .limit(SIGN_INS_SHOWN)
    .execute();
  return rows.map((row) => ({
    signInId: row.sign_in_id,
    provider: row.sign_in_provider,
    device: row.device,
    isCurrent: row.sign_in_id === current_id,
    signedInAt: row.signed_in_at,
    lastUsedAt: row.last_used_at,
  }));
}
