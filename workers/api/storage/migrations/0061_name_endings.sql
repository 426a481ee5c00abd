-- The endings of each name, so that a search finds the people with a word in their name in one range of an index
-- (docs/decisions/0051): たろう has the endings たろう, ろう and う. A link_id has one, which begins with @. In the small letters of
-- `lower`; eight letters and the @ are kept.
CREATE TABLE name_endings (
  ending TEXT NOT NULL,
  user_id TEXT NOT NULL,
  PRIMARY KEY (ending, user_id)
) STRICT, WITHOUT ROWID;

INSERT INTO name_endings (ending, user_id)
  WITH RECURSIVE endings (ending, user_id) AS (
    SELECT lower(name), user_id FROM users WHERE left_at IS NULL
    UNION SELECT substr(ending, 2), user_id FROM endings WHERE length(ending) > 1)
  SELECT substr(ending, 1, 8), user_id FROM endings
  UNION SELECT '@' || substr(link_id, 1, 8), user_id FROM users WHERE left_at IS NULL;

CREATE TRIGGER users_come_to_endings AFTER INSERT ON users BEGIN
  INSERT INTO name_endings (ending, user_id)
    WITH RECURSIVE endings (ending) AS (
      SELECT lower(NEW.name) UNION SELECT substr(ending, 2) FROM endings WHERE length(ending) > 1)
    SELECT substr(ending, 1, 8), NEW.user_id FROM endings
    UNION SELECT '@' || substr(NEW.link_id, 1, 8), NEW.user_id;
END;
-- The endings to delete are computed from the old names, so that the table needs no index by person.
CREATE TRIGGER users_change_endings AFTER UPDATE OF name, link_id ON users
WHEN OLD.name <> NEW.name OR OLD.link_id <> NEW.link_id BEGIN
  DELETE FROM name_endings WHERE user_id = OLD.user_id AND ending IN (
    WITH RECURSIVE endings (ending) AS (
      SELECT lower(OLD.name) UNION SELECT substr(ending, 2) FROM endings WHERE length(ending) > 1)
    SELECT substr(ending, 1, 8) FROM endings UNION SELECT '@' || substr(OLD.link_id, 1, 8));
  -- People who left have no follows, and all of them have the same name.
  INSERT INTO name_endings (ending, user_id)
    WITH RECURSIVE endings (ending) AS (
      SELECT lower(NEW.name) UNION SELECT substr(ending, 2) FROM endings WHERE length(ending) > 1)
    SELECT substr(ending, 1, 8), NEW.user_id FROM endings WHERE NEW.left_at IS NULL
    UNION SELECT '@' || substr(NEW.link_id, 1, 8), NEW.user_id WHERE NEW.left_at IS NULL;
END;
CREATE TRIGGER users_leave_endings AFTER DELETE ON users BEGIN
  DELETE FROM name_endings WHERE user_id = OLD.user_id AND ending IN (
    WITH RECURSIVE endings (ending) AS (
      SELECT lower(OLD.name) UNION SELECT substr(ending, 2) FROM endings WHERE length(ending) > 1)
    SELECT substr(ending, 1, 8) FROM endings UNION SELECT '@' || substr(OLD.link_id, 1, 8));
END;
