import * as contract from "../../contract/payouts.ts";
import { bindEndpoint } from "../http/endpoint.ts";
import { memberId } from "../http/request-context.ts";
import { cancelPayout, createPayout, linkCreatorAccount, updateCreatorAccount } from "./commands.ts";
import { findAccountRow, isBankFailing, listPayouts, toCreatorAccount } from "./queries.ts";

export const payoutRoutes = [
  bindEndpoint(contract.linkCreatorAccount, ({ body }, context) => linkCreatorAccount(context, body)),
  bindEndpoint(contract.getCreatorAccount, async (_input, context) => {
    const [row, is_bank_failing] = await Promise.all([
      findAccountRow(context.database, memberId(context)),
      isBankFailing(context.database, memberId(context)),
    ]);
    return { creator_account: row ? toCreatorAccount(row, is_bank_failing) : null };
  }),
  bindEndpoint(contract.updateCreatorAccount, ({ body }, context) => updateCreatorAccount(context, body)),
  bindEndpoint(contract.listPayouts, ({ query }, context) => listPayouts(context.database, memberId(context), query)),
  bindEndpoint(contract.cancelPayout, async ({ params }, context) => ({
    payout: await cancelPayout(context, params.payout_id),
  })),
  bindEndpoint(contract.createPayout, ({ body }, context) =>
    createPayout(context, body.amount, body.seen_bank_updated_at),
  ),
];
