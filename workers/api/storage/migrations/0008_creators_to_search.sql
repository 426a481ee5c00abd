-- Triggers announce each change of what search shows or finds of a creator, so that no command can forget it. The row has
-- the id; the index reads the creator when it handles the row.

CREATE VIEW changed_creators AS SELECT NULL AS user_id;
CREATE TRIGGER changed_creators_announce INSTEAD OF INSERT ON changed_creators BEGIN
  INSERT INTO outbox (outbox_id, kind, payload, created_at)
    VALUES ('creator-' || lower(hex(randomblob(16))), 'creator_changed', json_object('user_id', NEW.user_id),
      strftime('%Y-%m-%dT%H:%M:%fZ', 'now'));
END;

CREATE TRIGGER creators_arrive AFTER INSERT ON users WHEN NEW.is_creator = 1 BEGIN
  INSERT INTO changed_creators VALUES (NEW.user_id);
END;
CREATE TRIGGER creators_change AFTER UPDATE OF link_id, name, bio, is_creator, disabled_at ON users
WHEN 1 IN (OLD.is_creator, NEW.is_creator) BEGIN
  INSERT INTO changed_creators VALUES (NEW.user_id);
END;
-- Only where the index tells the numbers apart (popularityOf in search/rules.ts): by sixteenths of a doubling.
CREATE TRIGGER creators_gain_or_lose AFTER UPDATE OF followers_count ON users
WHEN NEW.is_creator = 1
  AND CAST(16 * log2(OLD.followers_count + 1) AS INTEGER) <> CAST(16 * log2(NEW.followers_count + 1) AS INTEGER) BEGIN
  INSERT INTO changed_creators VALUES (NEW.user_id);
END;
CREATE TRIGGER creators_leave AFTER DELETE ON users WHEN OLD.is_creator = 1 BEGIN
  INSERT INTO changed_creators VALUES (OLD.user_id);
END;
CREATE TRIGGER creators_take_genres AFTER INSERT ON user_genres
WHEN EXISTS (SELECT 1 FROM users WHERE user_id = NEW.user_id AND is_creator = 1) BEGIN
  INSERT INTO changed_creators VALUES (NEW.user_id);
END;
CREATE TRIGGER creators_drop_genres AFTER DELETE ON user_genres
WHEN EXISTS (SELECT 1 FROM users WHERE user_id = OLD.user_id AND is_creator = 1) BEGIN
  INSERT INTO changed_creators VALUES (OLD.user_id);
END;
