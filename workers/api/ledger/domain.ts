import type { Domain, TableRules } from "../domain.ts";
import { checkHourly } from "./check.ts";
import { departCreator, exports } from "./personal-data.ts";
import { ledgerRoutes } from "./routes.ts";

/** Tables that migrations write. */
const chartOfAccounts: TableRules = {
  people: [],
  expires: "no: written by migrations",
  exported: "no: the same for everybody",
  erased: "no: identifies nobody",
  on_pages: [],
};

/** Books are kept for seven years, ten after a year with a loss. Source: docs/decisions/0026. */
const KEPT = "no: the law requires the books to be kept, and they hold ids alone";

export const domain: Domain = {
  endpoints: ledgerRoutes,
  tables: {
    ledger_account_kinds: chartOfAccounts,
    ledger_transfer_kinds: chartOfAccounts,
    ledger_rules: chartOfAccounts,
    ledger_accounts: {
      people: ["account_id", "owner_id"],
      expires: KEPT,
      exported: { parts: ["transactions"], except: ["owner_id", "may_be_negative", "balance"] },
      erased: KEPT,
      on_pages: [],
    },
    ledger_transfers: {
      people: [],
      expires: KEPT,
      exported: { parts: ["transactions"], except: ["origin_transfer_id"] },
      erased: KEPT,
      on_pages: [],
    },
    ledger_postings: {
      people: ["account_id"],
      expires: KEPT,
      exported: { parts: ["transactions"] },
      erased: KEPT,
      on_pages: [],
    },
  },
  upkeep: { checkHourly },
  departure: departCreator,
  exports,
};
