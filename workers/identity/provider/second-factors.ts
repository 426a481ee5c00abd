import { isoTime } from "../../kernel/clock.ts";
import { randomSecret, sha256Hex } from "../../kernel/digest.ts";
import type { Identity } from "../storage/database.ts";
import type { Account } from "../storage/schema.ts";
import { listFactors } from "./queries.ts";
import { factorInfo } from "./rules.ts";
import type { ProofOfPerson } from "./sessions.ts";

/** The challenge at sign-in. */

const CHALLENGE_MS = 10 * 60 * 1000;

/** The fields of an answer that asks for a second factor; null where the account has none. */
export async function askSecondFactor(identity: Identity, account: Account, proof: ProofOfPerson) {
  const factors = await listFactors(identity, account.local_id);
  if (factors.length === 0) return null;
  const { db, now, now_ms } = identity;
  const mfaPendingCredential = randomSecret(32);
  await db
    .insertInto("challenges")
    .values({
      challenge_hash: await sha256Hex(mfaPendingCredential),
      kind: "second_factor",
      local_id: account.local_id,
      detail: JSON.stringify(proof),
      expires_at: isoTime(now_ms + CHALLENGE_MS),
      created_at: now,
    })
    .execute();
  return { mfaPendingCredential, mfaInfo: factors.map((factor) => factorInfo(factor, { masked: true })) };
}
