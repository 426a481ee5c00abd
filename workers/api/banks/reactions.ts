import type { Reactions } from "../storage/outbox.ts";
import { findMailReceiver } from "../users/queries.ts";

export const reactions: Reactions = {
  /** Mails the owner, because a thief would be paid by this account. Each change has its own mail with its own account. */
  bank_account_changed: async ({ payload }, context) => {
    const { change_id, user_id, bank_name, branch_name, account_number_last3 } = payload;
    const receiver = await findMailReceiver(context, user_id);
    if (!receiver) return [];
    const link = context.gateway.addressOf("/my/settings/bank");
    const gaps = { bank: bank_name, branch: branch_name, number_end: account_number_last3, link };
    await context.mails.handOver([{ mail_id: `bank:${change_id}`, kind: "bank_account_changed", ...receiver, gaps }]);
    return [];
  },
};
