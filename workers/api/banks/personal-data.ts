import { sql } from "kysely";
import type { Domain } from "../domain.ts";
import { deleteByKey, type Erasure, whereLeaver } from "../storage/personal-data.ts";
import { findBankAccount, toMaskedAccount } from "./queries.ts";

export const erasures: Erasure[] = [deleteByKey("bank_accounts", ["user_id"], whereLeaver("user_id"))];

/** The account as its owner's pages show it: SQL cannot decrypt it. */
export const exports: Domain["exports"] = {
  bank_account: {
    select: (me, after, limit) => sql`SELECT user_id AS key, json_object('user_id', user_id) AS item
      FROM bank_accounts WHERE user_id = ${me} AND user_id > ${after ?? ""} ${limit}`,
    async complete(context, { user_id }) {
      const account = await findBankAccount(context, String(user_id));
      return account ? toMaskedAccount(account) : {};
    },
  },
};
