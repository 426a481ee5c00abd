import type { Domain } from "../domain.ts";
import { BANK_ACCOUNT_LIMIT, resealAccounts } from "./commands.ts";
import { erasures, exports } from "./personal-data.ts";
import { noticeOfBankAccount, reactions } from "./reactions.ts";
import { bankRoutes } from "./routes.ts";

declare module "../storage/outbox.ts" {
  interface OutboxEvents {
    /** A creator registered a bank account for payouts, the first or another. */
    bank_account_changed: {
      change_id: string;
      user_id: string;
      bank_name: string;
      branch_name: string;
      account_number_last3: string;
    };
  }
}

export const domain: Domain = {
  endpoints: bankRoutes,
  tables: {
    bank_accounts: {
      people: ["user_id"],
      expires: "no: the account of an active creator",
      exported: {
        parts: ["bank_account"],
        // personal-data.ts completes the item with these, the number masked.
        except: [
          "bank_code",
          "bank_name",
          "branch_code",
          "branch_name",
          "account_type",
          "sealed",
          "key_id",
          "updated_at",
        ],
      },
      erased: true,
      on_pages: [],
    },
    bank_account_changes: {
      people: ["user_id"],
      // Seven years, as the books that name the payouts.
      expires: { since: "changed_at", days: 7 * 366 },
      exported: "no: the record for disputes about a payout, which has neither the number nor the holder",
      erased: "no: a thief who changes the account and leaves must not erase it; it expires",
      on_pages: [],
    },
  },
  reactions,
  notices: { bank_account_changed: noticeOfBankAccount },
  limits: [BANK_ACCOUNT_LIMIT],
  upkeep: { resealAccounts },
  erasures,
  exports,
};
