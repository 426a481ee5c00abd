-- A subscription has one change of plan under way. Two at once would each be charged by a price that the other one makes
-- wrong, and the difference would become a credit at the gateway, which pays for other creators' plans. docs/decisions/0032.
UPDATE joinings SET status = 'expired', ask_at = NULL
  WHERE status = 'open' AND subscription_id IS NOT NULL
    AND EXISTS (SELECT 1 FROM joinings AS newer WHERE newer.subscription_id = joinings.subscription_id
      AND newer.status = 'open' AND newer.joining_id > joinings.joining_id);
CREATE UNIQUE INDEX joinings_changing ON joinings (subscription_id)
  WHERE status = 'open' AND subscription_id IS NOT NULL;
-- The gateway's key of the request that changes a plan: the same request sent twice shares one change. NULL for an attempt to join.
ALTER TABLE joinings ADD COLUMN change_key TEXT;
