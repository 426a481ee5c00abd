import type { Notice } from "../domain.ts";
import type { OutboxEvents, Reactions } from "../storage/outbox.ts";
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

/**
 * Notifies the creator on the site too. If a thief has changed the mail address, the mail goes to the thief. The creator
 * finds the notification when the account is recovered.
 */
export function noticeOfBankAccount(changed: OutboxEvents["bank_account_changed"]): Notice[] {
  const { change_id, user_id, bank_name, branch_name, account_number_last3 } = changed;
  return [
    {
      user_id,
      type: "custom",
      occasion: `bank_account_changed ${change_id}`,
      message: `振込先に、${bank_name} ${branch_name}の口座（末尾${account_number_last3}）が登録されました。心当たりがないときは、すぐに口座を登録し直し、パスワードを変更してください。`,
      actor_user_id: null,
      path: "/my/settings/bank",
    },
  ];
}
