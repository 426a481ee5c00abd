-- Fans join plans and pay for them each month. Source: docs/decisions/0032.

-- Rebuilt, because a fan who left a plan and joins it again has two rows. The gateway charges for one of them at most.
CREATE TABLE billed_subscriptions (
  subscription_id TEXT PRIMARY KEY,
  -- The plan whose period was paid last.
  membership_id TEXT NOT NULL REFERENCES memberships (membership_id),
  user_id TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
  status TEXT NOT NULL CHECK (status IN ('active', 'canceled', 'past_due')),
  -- The member keeps access until this moment, whatever the status.
  paid_until TEXT NOT NULL,
  created_at TEXT NOT NULL,
  -- The gateway's id. NULL: nothing is charged for it.
  gateway_id TEXT UNIQUE,
  -- Whether it ends with its paid period.
  is_ending INTEGER NOT NULL DEFAULT 0 CHECK (is_ending IN (0, 1)),
  -- The plan was closed, and the clock must still end the subscription at the gateway.
  must_end INTEGER NOT NULL DEFAULT 0 CHECK (must_end IN (0, 1)),
  -- The plan from the next period on, where it is another one.
  next_membership_id TEXT REFERENCES memberships (membership_id),
  -- When the gateway tries a failed payment again.
  retry_at TEXT,
  -- When the clock asks the gateway for the state again.
  ask_at TEXT,
  -- Counts the changes. A change is written only if no other came since it asked the gateway.
  revision INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO billed_subscriptions (subscription_id, membership_id, user_id, status, paid_until, created_at)
SELECT subscription_id, membership_id, user_id, status, paid_until, created_at FROM subscriptions;
DROP TABLE subscriptions;
ALTER TABLE billed_subscriptions RENAME TO subscriptions;

CREATE INDEX subscriptions_of_membership ON subscriptions (membership_id, paid_until, user_id);
CREATE INDEX subscribers_of_membership ON subscriptions (membership_id, created_at DESC, subscription_id DESC);
CREATE INDEX subscriptions_of_user ON subscriptions (user_id, created_at DESC, subscription_id DESC);
CREATE INDEX subscriptions_access ON subscriptions (user_id, membership_id, paid_until);
CREATE UNIQUE INDEX subscriptions_live ON subscriptions (user_id, membership_id)
  WHERE status <> 'canceled' AND gateway_id IS NOT NULL;
CREATE INDEX subscriptions_changing ON subscriptions (next_membership_id) WHERE next_membership_id IS NOT NULL;
CREATE INDEX subscriptions_to_ask ON subscriptions (ask_at) WHERE ask_at IS NOT NULL;
CREATE INDEX subscriptions_to_end ON subscriptions (must_end) WHERE must_end = 1;

-- Each attempt to join a plan, written before the gateway is called.
CREATE TABLE joinings (
  joining_id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
  membership_id TEXT NOT NULL REFERENCES memberships (membership_id),
  scope TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  body_hash TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('open', 'joined', 'expired')),
  -- The gateway's checkout session; NULL until the gateway has answered.
  session_id TEXT UNIQUE,
  checkout_url TEXT,
  subscription_id TEXT,
  -- When the clock asks the gateway for the session again; NULL when it has ended.
  ask_at TEXT,
  created_at TEXT NOT NULL,
  UNIQUE (scope, idempotency_key)
) STRICT;
-- So that two open pages cannot pay for the same plan twice.
CREATE UNIQUE INDEX joinings_open ON joinings (user_id, membership_id) WHERE status = 'open';
CREATE INDEX joinings_of_user ON joinings (user_id);
CREATE INDEX joinings_by_age ON joinings (created_at);
CREATE INDEX joinings_of_membership ON joinings (membership_id);
CREATE INDEX joinings_to_ask ON joinings (ask_at) WHERE ask_at IS NOT NULL;

-- The gateway's ids of a plan's price. A price never changes once the plan has been open.
CREATE TABLE plan_prices (
  membership_id TEXT PRIMARY KEY REFERENCES memberships (membership_id) ON DELETE CASCADE,
  price_id TEXT NOT NULL UNIQUE,
  product_id TEXT NOT NULL,
  -- The plan's name as the gateway's pages show it.
  product_name TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Each paid invoice. No references: the books outlive subscriptions, plans and people.
CREATE TABLE invoices (
  invoice_id TEXT PRIMARY KEY,
  subscription_id TEXT NOT NULL,
  membership_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  creator_user_id TEXT NOT NULL,
  gateway_id TEXT NOT NULL UNIQUE,
  number TEXT NOT NULL,
  -- The plan's name when it was paid.
  title TEXT NOT NULL,
  -- 0 when a change of plan cost nothing.
  amount INTEGER NOT NULL CHECK (amount >= 0),
  period_start TEXT NOT NULL,
  period_end TEXT NOT NULL CHECK (period_end > period_start),
  paid_at TEXT NOT NULL
) STRICT;
CREATE INDEX invoices_of_subscription ON invoices (subscription_id, paid_at DESC, number DESC);

-- Subscriptions of people who left, which the clock must still end at the gateway.
CREATE TABLE abandoned_subscriptions (
  created_at TEXT NOT NULL,
  gateway_id TEXT NOT NULL,
  PRIMARY KEY (created_at, gateway_id)
) STRICT, WITHOUT ROWID;
