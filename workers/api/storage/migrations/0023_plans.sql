-- Creators make their plans themselves, in an order that they choose.

-- When the plan was first open. From then on its price is fixed: somebody may have joined for it.
ALTER TABLE memberships ADD COLUMN published_at TEXT;
ALTER TABLE memberships ADD COLUMN position INTEGER NOT NULL DEFAULT 0 CHECK (position >= 0);

-- Until now every plan was open at first, and the cheapest came first.
UPDATE memberships SET published_at = created_at,
  position = (SELECT COUNT(*) FROM memberships AS earlier WHERE earlier.user_id = memberships.user_id
    AND (earlier.amount, earlier.membership_id) < (memberships.amount, memberships.membership_id));

DROP INDEX memberships_of_user;
CREATE INDEX memberships_of_user ON memberships (user_id, position, membership_id);
CREATE INDEX memberships_opened ON memberships (active_state, published_at DESC, membership_id DESC);
CREATE INDEX subscribers_of_membership ON subscriptions (membership_id, created_at DESC, subscription_id DESC);
CREATE INDEX subscriptions_of_user ON subscriptions (user_id, created_at DESC, subscription_id DESC);
