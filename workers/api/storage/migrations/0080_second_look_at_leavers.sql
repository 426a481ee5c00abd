-- A change of plan or a renewal may be under way while its member leaves, and be charged after the subscription's row is gone. The
-- clock ends such a subscription at once, and looks for such charges again when no request can be under way any more.
-- docs/decisions/0032.
ALTER TABLE abandoned_subscriptions ADD COLUMN is_ended INTEGER NOT NULL DEFAULT 0 CHECK (is_ended IN (0, 1));
