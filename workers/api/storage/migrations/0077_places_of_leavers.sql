-- A deleted account leaves its places in limited plans, so the creators' pages say no longer that a plan is full.
-- docs/decisions/0029.
CREATE TRIGGER subscriptions_free_places AFTER DELETE ON subscriptions BEGIN
  INSERT INTO changed_pages SELECT DISTINCT user_id FROM memberships
    WHERE membership_id IN (OLD.membership_id, OLD.next_membership_id) AND members_limit IS NOT NULL;
END;
CREATE TRIGGER joinings_free_places AFTER DELETE ON joinings WHEN OLD.status = 'open' BEGIN
  INSERT INTO changed_pages SELECT user_id FROM memberships
    WHERE membership_id = OLD.membership_id AND members_limit IS NOT NULL;
END;
