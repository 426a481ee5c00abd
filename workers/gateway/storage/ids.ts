const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** The prefix of each kind's ids, as Stripe's. Source: the examples of Stripe's reference. */
export const prefixes = {
  account: "acct_",
  balance_transaction: "txn_",
  bank_account: "ba_",
  charge: "ch_",
  "checkout.session": "cs_test_",
  customer: "cus_",
  dispute: "du_",
  event: "evt_",
  invoice: "in_",
  payment_intent: "pi_",
  payment_method: "pm_",
  payout: "po_",
  price: "price_",
  product: "prod_",
  "radar.early_fraud_warning": "issfr_",
  refund: "re_",
  setup_intent: "seti_",
  subscription: "sub_",
  token: "btok_",
  transfer: "tr_",
  transfer_reversal: "trr_",
  webhook_endpoint: "we_",
  "billing_portal.session": "bps_",
  account_link: "link_",
} as const;
export type Kind = keyof typeof prefixes;

/** Returns random letters and digits. A byte above the largest multiple of 62 is dropped, so that each is as likely. */
export function randomText(length: number): string {
  let made = "";
  while (made.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      if (byte < 248 && made.length < length) made += ALPHABET[byte % 62];
    }
  }
  return made;
}

/** The address of a hosted page is its object's id, so these are long. */
const LENGTHS: Partial<Record<Kind, number>> = {
  "checkout.session": 58,
  "billing_portal.session": 58,
  account_link: 58,
  account: 16,
};

/** Creates an id with the prefix of its kind. */
export function newStripeId(kind: Kind): string {
  return prefixes[kind] + randomText(LENGTHS[kind] ?? 24);
}

/** Returns the kind of object that an id names; undefined for any other text. */
export function kindOf(id: string): Kind | undefined {
  return (Object.keys(prefixes) as Kind[]).find((kind) => id.startsWith(prefixes[kind]));
}
