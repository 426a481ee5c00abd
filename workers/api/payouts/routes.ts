import * as contract from "../../contract/payouts.ts";
import { bindEndpoint } from "../http/endpoint.ts";
import { memberId } from "../http/request-context.ts";
import { cancelPayout, createPayout, linkCreatorAccount, updateCreatorAccount } from "./commands.ts";
import { findAccountRow, listPayouts, toCreatorAccount } from "./queries.ts";

export const payoutRoutes = [
  bindEndpoint(contract.linkCreatorAccount, ({ body }, context) => linkCreatorAccount(context, body)),
  bindEndpoint(contract.getCreatorAccount, async (_input, context) => {
    const row = await findAccountRow(context.database, memberId(context));
    return { creator_account: row ? toCreatorAccount(row) : null };
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
