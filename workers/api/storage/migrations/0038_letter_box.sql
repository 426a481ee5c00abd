-- The words by which a letter is found in the box of its receiver and in that of its sender. docs/decisions/0038.
CREATE TABLE letter_words (
  owner_user_id TEXT NOT NULL,
  ofuse_id TEXT NOT NULL,
  -- The person whose name finds the letter. NULL for a guest, and for the sender of an anonymous letter.
  other_user_id TEXT,
  name TEXT NOT NULL,
  words TEXT NOT NULL,
  PRIMARY KEY (owner_user_id, ofuse_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX letter_words_of_other ON letter_words (other_user_id) WHERE other_user_id IS NOT NULL;

INSERT INTO letter_words (owner_user_id, ofuse_id, other_user_id, name, words)
  SELECT receiver_user_id, ofuse_id, iif(is_anonymous, NULL, sender_user_id),
    lower(CASE WHEN is_anonymous THEN '匿名'
      ELSE coalesce((SELECT name FROM users WHERE user_id = sender_user_id), guest_name, 'ゲスト') END),
    lower(message || coalesce(char(10) || reply_message, ''))
  FROM ofuses
  UNION ALL
  SELECT sender_user_id, ofuse_id, receiver_user_id, lower(users.name),
    lower(message || coalesce(char(10) || reply_message, ''))
  FROM ofuses JOIN users ON users.user_id = receiver_user_id WHERE sender_user_id IS NOT NULL;

CREATE TRIGGER ofuses_to_words AFTER INSERT ON ofuses BEGIN
  INSERT INTO letter_words (owner_user_id, ofuse_id, other_user_id, name, words) VALUES (
    NEW.receiver_user_id, NEW.ofuse_id, iif(NEW.is_anonymous, NULL, NEW.sender_user_id),
    lower(CASE WHEN NEW.is_anonymous THEN '匿名'
      ELSE coalesce((SELECT name FROM users WHERE user_id = NEW.sender_user_id), NEW.guest_name, 'ゲスト') END),
    lower(NEW.message || coalesce(char(10) || NEW.reply_message, '')));
  INSERT INTO letter_words (owner_user_id, ofuse_id, other_user_id, name, words)
    SELECT NEW.sender_user_id, NEW.ofuse_id, user_id, lower(name),
      lower(NEW.message || coalesce(char(10) || NEW.reply_message, ''))
    FROM users WHERE user_id = NEW.receiver_user_id AND NEW.sender_user_id IS NOT NULL;
END;
CREATE TRIGGER ofuses_reply_to_words AFTER UPDATE OF message, reply_message ON ofuses BEGIN
  UPDATE letter_words SET words = lower(NEW.message || coalesce(char(10) || NEW.reply_message, ''))
    WHERE owner_user_id IN (NEW.receiver_user_id, NEW.sender_user_id) AND ofuse_id = NEW.ofuse_id;
END;
-- A member claims the letter that they sent as a guest. An anonymous letter keeps its sender secret.
CREATE TRIGGER ofuses_claim_to_words AFTER UPDATE OF sender_user_id ON ofuses
WHEN OLD.sender_user_id IS NULL AND NEW.sender_user_id IS NOT NULL BEGIN
  INSERT INTO letter_words (owner_user_id, ofuse_id, other_user_id, name, words)
    SELECT NEW.sender_user_id, NEW.ofuse_id, user_id, lower(name),
      lower(NEW.message || coalesce(char(10) || NEW.reply_message, ''))
    FROM users WHERE user_id = NEW.receiver_user_id;
  UPDATE letter_words SET other_user_id = NEW.sender_user_id,
      name = (SELECT lower(name) FROM users WHERE user_id = NEW.sender_user_id)
    WHERE owner_user_id = NEW.receiver_user_id AND ofuse_id = NEW.ofuse_id AND NEW.is_anonymous = 0;
END;
CREATE TRIGGER ofuses_leave_words AFTER DELETE ON ofuses BEGIN
  DELETE FROM letter_words
    WHERE owner_user_id IN (OLD.receiver_user_id, OLD.sender_user_id) AND ofuse_id = OLD.ofuse_id;
END;
CREATE TRIGGER users_name_to_words AFTER UPDATE OF name ON users WHEN OLD.name <> NEW.name BEGIN
  UPDATE letter_words SET name = lower(NEW.name) WHERE other_user_id = NEW.user_id;
END;

-- The orders of the box received. With removed_at in the index, the letters before a later page are skipped unread.
DROP INDEX ofuses_received;
CREATE INDEX ofuses_received ON ofuses (receiver_user_id, created_at DESC, ofuse_id DESC, removed_at);
CREATE INDEX ofuses_received_unread_first
  ON ofuses (receiver_user_id, (opened_at IS NULL) DESC, created_at DESC, ofuse_id DESC, removed_at);
