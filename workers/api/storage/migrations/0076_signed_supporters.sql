-- An anonymous letter makes no supporter: the creator would see in the statistics that a later, signed letter is not its
-- sender's first. docs/decisions/0047.
DROP TRIGGER ofuses_make_supporters;
DROP TRIGGER ofuses_make_supporters_later;
CREATE TRIGGER ofuses_make_supporters AFTER INSERT ON ofuses
WHEN NEW.is_anonymous = 0 AND NEW.sender_user_id IS NOT NULL AND NEW.sender_user_id <> NEW.receiver_user_id BEGIN
  INSERT INTO supporters VALUES (NEW.receiver_user_id, NEW.sender_user_id, NEW.created_at) ON CONFLICT DO NOTHING;
END;
-- A guest has claimed the letter.
CREATE TRIGGER ofuses_make_supporters_later AFTER UPDATE OF sender_user_id ON ofuses
WHEN NEW.is_anonymous = 0 AND NEW.sender_user_id IS NOT NULL AND NEW.sender_user_id <> NEW.receiver_user_id BEGIN
  INSERT INTO supporters VALUES (NEW.receiver_user_id, NEW.sender_user_id, NEW.created_at) ON CONFLICT DO NOTHING;
END;

-- Supporters whose first support was an anonymous letter, with the moment of their first signed support, if there is one.
-- Deleting and inserting their rows announces both days to the figures.
CREATE TABLE corrected_supporters (
  user_id TEXT NOT NULL,
  supporter_user_id TEXT NOT NULL,
  since TEXT,
  PRIMARY KEY (user_id, supporter_user_id)
) STRICT, WITHOUT ROWID;
INSERT INTO corrected_supporters (user_id, supporter_user_id, since)
  SELECT user_id, supporter_user_id, (SELECT MIN(since) FROM (
      SELECT created_at AS since FROM ofuses WHERE ofuses.sender_user_id = supporters.supporter_user_id
        AND receiver_user_id = supporters.user_id AND is_anonymous = 0
      UNION ALL SELECT event_comments.created_at FROM event_comments JOIN events USING (event_id)
        WHERE event_comments.user_id = supporters.supporter_user_id AND events.user_id = supporters.user_id
          AND event_comments.amount > 0
      UNION ALL SELECT subscriptions.created_at FROM subscriptions JOIN memberships USING (membership_id)
        WHERE subscriptions.user_id = supporters.supporter_user_id AND memberships.user_id = supporters.user_id))
  FROM supporters WHERE EXISTS (SELECT 1 FROM ofuses WHERE ofuses.sender_user_id = supporters.supporter_user_id
    AND receiver_user_id = supporters.user_id AND ofuses.created_at = supporters.since AND is_anonymous = 1);
DELETE FROM corrected_supporters WHERE EXISTS (SELECT 1 FROM supporters
  WHERE supporters.user_id = corrected_supporters.user_id
    AND supporters.supporter_user_id = corrected_supporters.supporter_user_id
    AND supporters.since = corrected_supporters.since);
DELETE FROM supporters WHERE EXISTS (SELECT 1 FROM corrected_supporters
  WHERE corrected_supporters.user_id = supporters.user_id
    AND corrected_supporters.supporter_user_id = supporters.supporter_user_id);
INSERT INTO supporters (user_id, supporter_user_id, since)
  SELECT user_id, supporter_user_id, since FROM corrected_supporters WHERE since IS NOT NULL;
DROP TABLE corrected_supporters;
