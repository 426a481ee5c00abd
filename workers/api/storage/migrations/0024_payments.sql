-- Each payment that the gateway took, and the gateway's customers.

CREATE TABLE customers (
  user_id TEXT PRIMARY KEY REFERENCES users (user_id),
  -- The gateway's id.
  customer_id TEXT NOT NULL UNIQUE,
  created_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE payments (
  payment_id TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('ofuse_v3', 'fan_letter_support', 'comment_support', 'membership')),
  -- The letter, comment or invoice.
  cause_id TEXT NOT NULL,
  -- NULL for a guest.
  payer_user_id TEXT,
  creator_user_id TEXT NOT NULL,
  campaign_id TEXT,
  amount INTEGER NOT NULL CHECK (amount > 0),
  fee INTEGER NOT NULL CHECK (fee >= 0),
  donation INTEGER NOT NULL CHECK (donation >= 0),
  creator_share INTEGER NOT NULL CHECK (creator_share >= 0),
  payment_intent_id TEXT NOT NULL UNIQUE,
  charge_id TEXT NOT NULL UNIQUE,
  paid_at TEXT NOT NULL,
  -- When the gateway makes the money available.
  available_at TEXT NOT NULL,
  -- When the creator's share became payable.
  released_at TEXT,
  -- When a refund or a dispute took the payment back; NULL again when it was returned.
  withdrawn_at TEXT,
  UNIQUE (kind, cause_id),
  CHECK (amount = fee + donation + creator_share),
  CHECK (donation = 0 OR campaign_id IS NOT NULL)
) STRICT;
CREATE INDEX payments_to_release ON payments (available_at) WHERE released_at IS NULL AND withdrawn_at IS NULL;
CREATE INDEX payments_of_payer ON payments (payer_user_id, payment_id) WHERE payer_user_id IS NOT NULL;
