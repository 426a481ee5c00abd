import { toNormalForm } from "../../contract/normal-form.ts";
import type { Services } from "../http/request-context.ts";
import { commit } from "../storage/commit.ts";
import { oneOf } from "../storage/database.ts";

/**
 * Marks the members whose address does not exist, so that they are asked for another one. The clock runs it. A member who
 * changes the address meanwhile keeps the new one: only the address that bounced is marked. Source: product decisions,
 * "`email_invalid` is set by a hard bounce".
 */
export async function markBounced({ d1, database, mails, clock }: Services): Promise<void> {
  const addresses = await mails.readBounces();
  if (addresses.length === 0) return;
  const mark = database
    .updateTable("users")
    .set({ email_invalid: 1 })
    // Accounts keep addresses in this form (workers/identity/provider/rules.ts).
    .where("email", "in", oneOf(addresses.map((address) => toNormalForm(address).toLowerCase())))
    .compile();
  await commit({ d1, database, now_ms: clock.now(), idempotency: null }, { statements: [mark] });
  await mails.forgetBounces(addresses);
}
