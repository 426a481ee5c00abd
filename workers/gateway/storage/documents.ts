import type Stripe from "stripe";
import type { Kind } from "./ids.ts";

/** The document of each kind of object, exactly as the gateway answers it. */
export interface Documents {
  account: Stripe.Account;
  balance_transaction: Stripe.BalanceTransaction;
  bank_account: Stripe.BankAccount;
  charge: Stripe.Charge;
  "checkout.session": Stripe.Checkout.Session;
  customer: Stripe.Customer;
  dispute: Stripe.Dispute;
  event: Stripe.Event;
  invoice: Stripe.Invoice;
  payment_intent: Stripe.PaymentIntent;
  payment_method: Stripe.PaymentMethod;
  payout: Stripe.Payout;
  price: Stripe.Price;
  product: Stripe.Product;
  "radar.early_fraud_warning": Stripe.Radar.EarlyFraudWarning;
  refund: Stripe.Refund;
  setup_intent: Stripe.SetupIntent;
  subscription: Stripe.Subscription;
  token: Stripe.Token;
  transfer: Stripe.Transfer;
  transfer_reversal: Stripe.TransferReversal;
  webhook_endpoint: Stripe.WebhookEndpoint;
  "billing_portal.session": Stripe.BillingPortal.Session;
  account_link: Stripe.AccountLink;
}

/** Whether what a test card or a person does next succeeds. Source: docs/decisions/0027, "Test cards". */
export type CardOutcome =
  | "succeeds"
  | "declined"
  | "insufficient_funds"
  | "requires_authentication"
  | "declined_later"
  | "disputed";

/** What the gateway keeps beside a document and never answers. */
export interface Hidden {
  /** A payment method: how its card behaves. */
  outcome?: CardOutcome;
  /** A payment method: whether its owner has authenticated it for later payments. */
  is_authenticated?: boolean;
  /** A payment intent: the session or invoice that it pays. */
  checkout_session?: string;
  invoice?: string;
  /** An invoice: when its first attempt failed. Its retries count from here. */
  failed_at?: number;
  /** A konbini payment: the code that the person shows at the shop. */
  konbini?: { payment_code: string; confirmation_number: string };
  /** A session: the lines, which are answered only when expanded. */
  line_items?: Stripe.LineItem[];
  payment_intent_data?: PaymentIntentData;
  subscription_data?: SubscriptionData;
  setup_metadata?: Record<string, string>;
  /** A session: the payment method that waits for its owner at the bank's page. */
  pending_method?: string;
  /** A session or an invoice: the intent that pays it, used again after a declined attempt. */
  intent?: string;
  /** A subscription: lines for its next invoice. */
  pending_lines?: Stripe.InvoiceLineItem[];
  /** A subscription: how many periods have begun since its anchor. */
  periods?: number;
  /** An endpoint: the secret that signs its webhooks. */
  secret?: string;
  /** A bank account, or its token: the reason why payouts to it fail; null when they arrive. */
  payout_failure?: string | null;
  /** The address of an account link's pages, and the account it belongs to. */
  link?: { account: string; refresh_url: string; return_url: string; expires_at: number };
  /** What a page refused: what was typed, and why. No card number or code. */
  returned?: { typed: Record<string, string>; errors: Partial<Record<string, string>>; refused: string };
  /** An account: how its owner's identity was found to be. */
  verification?: "pending" | "unverified" | "verified";
}

export interface PaymentIntentData {
  description?: string | undefined;
  metadata?: Record<string, string> | undefined;
  receipt_email?: string | undefined;
  setup_future_usage?: "off_session" | "on_session" | undefined;
  transfer_group?: string | undefined;
}

export interface SubscriptionData {
  description?: string | undefined;
  metadata?: Record<string, string> | undefined;
}

/** One stored object. Handlers change `body` and `hidden` in place, and call `unit.save`. */
export interface Stored<K extends Kind = Kind> {
  id: string;
  kind: K;
  account: string;
  body: Documents[K];
  hidden: Hidden;
  due_at: number | null;
  version: number;
  is_new: boolean;
}
