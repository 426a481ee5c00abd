import type { IdentityVerification, PayoutFailureReason } from "../../contract/payouts.ts";
import { japaneseMonthText } from "../../kernel/clock.ts";
import type { Domain } from "../domain.ts";
import {
  ACCOUNT_LINK_LIMIT,
  advancePayouts,
  CLAIM_MS,
  checkAccounts,
  PAYOUT_LIMIT,
  requestAutomaticPayouts,
} from "./commands.ts";
import { deleteAbandonedAccounts, TRY_AGAIN_MS } from "./leavers.ts";
import { erasures, exportProfile, exports } from "./personal-data.ts";
import { noticeOfCheck, noticeOfFailure, reactions } from "./reactions.ts";
import { payoutRoutes } from "./routes.ts";
import { SELDOM_MS } from "./rules.ts";

declare module "../storage/outbox.ts" {
  interface OutboxEvents {
    /** The check of a creator's identity has ended. */
    identity_checked: { user_id: string; identity_verification: IdentityVerification; checked_at: string };
    payout_failed: { user_id: string; payout_id: string; amount: number; reason: PayoutFailureReason };
  }
}

export const domain: Domain = {
  endpoints: payoutRoutes,
  tables: {
    creator_accounts: {
      people: ["user_id"],
      expires: "no: the account of an active creator",
      exported: {
        parts: ["profile"],
        except: ["user_id", "account_id", "bank_given_at", "bank_refused", "automatic_month", "check_at", "read_at"],
      },
      erased: true,
      on_pages: [],
    },
    abandoned_accounts: {
      people: ["user_id"],
      expires: "no: until the gateway has deleted the account",
      exported: "no: written when the person leaves",
      erased: "no: deleted when the gateway has deleted the account",
      on_pages: [],
    },
    payouts: {
      people: ["user_id"],
      expires: "no: the books must say for years where each payout went (docs/decisions/0026, 0028)",
      exported: {
        parts: ["payouts"],
        except: [
          "user_id",
          "account_id",
          "transfer_id",
          "gateway_payout_id",
          "reversal_id",
          "refusals",
          "held_at",
          "claimed_until",
          "check_at",
        ],
      },
      erased: "no: the law requires the books to be kept, and they hold neither number nor holder",
      on_pages: [],
    },
  },
  limits: [ACCOUNT_LINK_LIMIT, PAYOUT_LIMIT],
  reactions,
  notices: { identity_checked: noticeOfCheck, payout_failed: noticeOfFailure },
  upkeep: { checkAccounts, requestAutomaticPayouts, advancePayouts, deleteAbandonedAccounts },
  waits: [
    { table: "creator_accounts", column: "check_at", longest_ms: SELDOM_MS },
    { table: "creator_accounts", column: "read_at", longest_ms: 0 },
    { table: "creator_accounts", column: "automatic_month", longest_ms: 0, format: japaneseMonthText },
    { table: "abandoned_accounts", column: "ask_at", longest_ms: TRY_AGAIN_MS },
    { table: "payouts", column: "check_at", longest_ms: SELDOM_MS },
    { table: "payouts", column: "claimed_until", longest_ms: CLAIM_MS },
  ],
  erasures,
  exports,
  profile: exportProfile,
};
