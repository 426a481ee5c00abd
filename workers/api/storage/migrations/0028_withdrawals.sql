-- Payments that were taken back: by a refund of ours, or by the payer's bank.

CREATE TABLE refunds (
  refund_id TEXT PRIMARY KEY,
  payment_id TEXT NOT NULL REFERENCES payments (payment_id),
  -- The account from which the creator's share was taken: a refund that fails returns it there.
  from_account TEXT NOT NULL CHECK (from_account IN ('creator_pending', 'creator_payable')),
  -- Whether an operator began it here, or somebody in the gateway's dashboard.
  cause TEXT NOT NULL CHECK (cause IN ('operator', 'dashboard')),
  status TEXT NOT NULL CHECK (status IN ('pending', 'paid', 'failed')),
  gateway_refund_id TEXT UNIQUE,
  -- When the clock continues; NULL once the refund has ended.
  check_at TEXT,
  created_at TEXT NOT NULL,
  ended_at TEXT,
  CHECK ((check_at IS NULL) = (status <> 'pending')),
  CHECK ((ended_at IS NULL) = (status = 'pending'))
) STRICT;
CREATE INDEX refunds_of_payment ON refunds (payment_id);
CREATE INDEX refunds_to_check ON refunds (check_at) WHERE check_at IS NOT NULL;

CREATE TABLE disputes (
  -- The gateway's id: it opens disputes, we do not.
  dispute_id TEXT PRIMARY KEY,
  payment_id TEXT NOT NULL REFERENCES payments (payment_id),
  -- As in refunds. NULL when the payment had been taken back before: then the ledger has nothing to set aside.
  from_account TEXT CHECK (from_account IN ('creator_pending', 'creator_payable')),
  status TEXT NOT NULL CHECK (status IN ('open', 'won', 'lost')),
  reason TEXT NOT NULL,
  check_at TEXT,
  opened_at TEXT NOT NULL,
  ended_at TEXT,
  CHECK ((check_at IS NULL) = (status <> 'open')),
  CHECK ((ended_at IS NULL) = (status = 'open'))
) STRICT;
CREATE INDEX disputes_of_payment ON disputes (payment_id);
CREATE INDEX disputes_to_check ON disputes (check_at) WHERE check_at IS NOT NULL;
