-- The content of the home page: the newest posts, and the totals. docs/decisions/0014.

-- The newest public posts of all creators.
CREATE INDEX events_newest_public ON events (published_at DESC, event_id DESC)
  WHERE status = 'published' AND publish_target_type = 'public';
-- Answered public letters. The activities of a creator's followers list them beside the posts.
CREATE INDEX ofuses_answered_in_public ON ofuses (receiver_user_id, replied_at DESC, ofuse_id DESC)
  WHERE is_public = 1 AND replied_at IS NOT NULL;
-- The members of a plan. The list of its creator's followers can be narrowed to them.
CREATE INDEX subscriptions_of_membership ON subscriptions (membership_id, paid_until, user_id);

-- No read counts a big table. Pages show `shown`, which is `total` rounded down to two digits.
CREATE TABLE totals (
  scope TEXT PRIMARY KEY CHECK (scope IN ('creators', 'events', 'ofuses')),
  total INTEGER NOT NULL,
  shown INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TRIGGER totals_round AFTER UPDATE OF total ON totals BEGIN
  UPDATE totals SET shown = max(0, CAST(
    substr(NEW.total, 1, 2) || substr('0000000000', 1, max(0, length(NEW.total) - 2)) AS INTEGER))
    WHERE scope = NEW.scope;
END;
-- Another figure changes the home page. Large figures change seldom, because they are rounded.
CREATE TRIGGER totals_show AFTER UPDATE OF shown ON totals WHEN OLD.shown <> NEW.shown BEGIN
  INSERT INTO page_versions (scope, version) VALUES ('site', hex(randomblob(8)))
    ON CONFLICT (scope) DO UPDATE SET version = excluded.version;
END;

INSERT INTO totals (scope, total) VALUES ('creators', 0), ('events', 0), ('ofuses', 0);
UPDATE totals SET total = CASE scope
  WHEN 'creators' THEN (SELECT COUNT(*) FROM users WHERE is_creator = 1)
  WHEN 'events' THEN (SELECT COUNT(*) FROM events WHERE status = 'published' AND publish_target_type = 'public')
  ELSE (SELECT COUNT(*) FROM ofuses) END;

-- Triggers keep the totals, so that no command can forget one.
CREATE TRIGGER users_count_creators_up AFTER INSERT ON users WHEN NEW.is_creator = 1 BEGIN
  UPDATE totals SET total = total + 1 WHERE scope = 'creators';
END;
CREATE TRIGGER users_count_creators_change AFTER UPDATE OF is_creator ON users WHEN OLD.is_creator <> NEW.is_creator BEGIN
  UPDATE totals SET total = total + NEW.is_creator - OLD.is_creator WHERE scope = 'creators';
END;
CREATE TRIGGER users_count_creators_down AFTER DELETE ON users WHEN OLD.is_creator = 1 BEGIN
  UPDATE totals SET total = total - 1 WHERE scope = 'creators';
END;

CREATE TRIGGER events_count_up AFTER INSERT ON events
WHEN NEW.status = 'published' AND NEW.publish_target_type = 'public' BEGIN
  UPDATE totals SET total = total + 1 WHERE scope = 'events';
END;
CREATE TRIGGER events_count_change AFTER UPDATE OF status, publish_target_type ON events
WHEN (OLD.status = 'published' AND OLD.publish_target_type = 'public')
  <> (NEW.status = 'published' AND NEW.publish_target_type = 'public') BEGIN
  UPDATE totals SET total = total + iif(NEW.status = 'published' AND NEW.publish_target_type = 'public', 1, -1)
    WHERE scope = 'events';
END;
CREATE TRIGGER events_count_down AFTER DELETE ON events
WHEN OLD.status = 'published' AND OLD.publish_target_type = 'public' BEGIN
  UPDATE totals SET total = total - 1 WHERE scope = 'events';
END;

CREATE TRIGGER ofuses_count_up AFTER INSERT ON ofuses BEGIN
  UPDATE totals SET total = total + 1 WHERE scope = 'ofuses';
END;
CREATE TRIGGER ofuses_count_down AFTER DELETE ON ofuses BEGIN
  UPDATE totals SET total = total - 1 WHERE scope = 'ofuses';
END;
