import * as contract from "../../contract/banks.ts";
import { getBank, updateBank } from "../../contract/payouts.ts";
import { bindEndpoint } from "../http/endpoint.ts";
import { requireRecentSignIn } from "../http/recent-sign-in.ts";
import { memberId } from "../http/request-context.ts";
import { updateBankAccount } from "./commands.ts";
import { findBankAccount, listBanks, listBranches, toMaskedAccount } from "./queries.ts";

export const bankRoutes = [
  bindEndpoint(contract.listBanks, ({ query }) => listBanks(query.q)),
  bindEndpoint(contract.listBranches, ({ params, query }) => listBranches(params.bank_code, query.q)),
  bindEndpoint(getBank, async (_input, context) => {
    const account = await findBankAccount(context, memberId(context));
    return { bank_account: account && toMaskedAccount(account) };
  }),
  bindEndpoint(updateBank, async ({ body }, context) => {
    requireRecentSignIn(context);
    return updateBankAccount(context, body);
  }),
];
