import type { Domain, TableRules } from "../domain.ts";
import type { PaymentKind } from "../ledger/rules.ts";
import { advanceWithdrawals, takeOverMissed } from "./commands.ts";
import { noticesOfDispute, noticesOfDisputeEnd, noticesOfRefund } from "./notices.ts";
import { reactions } from "./reactions.ts";
import { LONGEST_WAIT_MS } from "./rules.ts";

/** A payment that was taken back, with its shares in yen. */
export interface WithdrawnPayment {
  payment_id: string;
  payer_user_id: string | null;
  creator_user_id: string;
  amount: number;
  creator_share: number;
}

declare module "../storage/outbox.ts" {
  interface OutboxEvents {
    /** What was paid for, its page for the payer, and whether its plan renews. Rows of earlier versions do not have them. */
    payment_refunded: WithdrawnPayment & {
      kind?: PaymentKind;
      payer_path?: string | null;
      is_renewing?: boolean | undefined;
    };
    /** The subscription that the payment was for, and whether its share was set aside. Rows of earlier versions do not have them. */
    payment_disputed: WithdrawnPayment & { subscription_id?: string | null; is_taken?: boolean };
    dispute_ended: WithdrawnPayment & { dispute_id: string; is_won: boolean };
  }
}

const book: TableRules = {
  people: [],
  expires: "no: the law requires the books to be kept",
  exported: "no: the payment of the part `payments` says when it was taken back",
  erased: "no: identifies nobody by itself",
  on_pages: [],
};

export const domain: Domain = {
  tables: { refunds: book, disputes: book },
  reactions,
  notices: {
    payment_refunded: noticesOfRefund,
    payment_disputed: noticesOfDispute,
    dispute_ended: noticesOfDisputeEnd,
  },
  upkeep: { advanceWithdrawals, takeOverMissed },
  waits: [
    { table: "refunds", column: "check_at", longest_ms: LONGEST_WAIT_MS },
    { table: "disputes", column: "check_at", longest_ms: LONGEST_WAIT_MS },
  ],
};
