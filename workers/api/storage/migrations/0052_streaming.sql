-- Overlays of streams. docs/decisions/0045.

-- The overlays of one person: what they show, and the hash of the token that opens them.
CREATE TABLE overlays (
  user_id TEXT PRIMARY KEY REFERENCES users (user_id) ON DELETE CASCADE,
  -- SHA-256 of the token. NULL until the person makes one.
  token_hash TEXT UNIQUE,
  token_created_at TEXT,
  settings TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(settings)),
  -- The number of the latest letter of `overlay_letters`. It only grows, so a number is never used again.
  last_number INTEGER NOT NULL DEFAULT 0,
  CHECK ((token_hash IS NULL) = (token_created_at IS NULL))
) STRICT, WITHOUT ROWID;
-- A request that was admitted before its sender left writes nothing afterwards.
CREATE TRIGGER overlays_of_nobody_left BEFORE INSERT ON overlays
WHEN EXISTS (SELECT 1 FROM users WHERE user_id = NEW.user_id AND left_at IS NOT NULL) BEGIN
  SELECT RAISE(ABORT, 'precondition account_left failed');
END;

-- The letters that reached somebody with overlays, numbered in the order of their commits. Ids of letters do not tell
-- that order: two may be made in one order and written in the other. A test letter is in no other table.
CREATE TABLE overlay_letters (
  user_id TEXT NOT NULL REFERENCES overlays (user_id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  ofuse_id TEXT UNIQUE REFERENCES ofuses (ofuse_id) ON DELETE CASCADE,
  test TEXT CHECK (json_valid(test)),
  created_at TEXT NOT NULL,
  PRIMARY KEY (user_id, number),
  CHECK ((ofuse_id IS NULL) = (test IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX overlay_letters_by_age ON overlay_letters (created_at);

CREATE TRIGGER ofuses_arrive_on_overlays AFTER INSERT ON ofuses
WHEN EXISTS (SELECT 1 FROM overlays WHERE user_id = NEW.receiver_user_id AND token_hash IS NOT NULL) BEGIN
  UPDATE overlays SET last_number = last_number + 1 WHERE user_id = NEW.receiver_user_id;
  INSERT INTO overlay_letters (user_id, number, ofuse_id, created_at)
    SELECT user_id, last_number, NEW.ofuse_id, strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
    FROM overlays WHERE user_id = NEW.receiver_user_id;
END;
-- A row of its own, so that a room that fails delays no notification of the letter.
CREATE TRIGGER overlay_letters_are_announced AFTER INSERT ON overlay_letters BEGIN
  INSERT INTO outbox (outbox_id, kind, payload, created_at)
    VALUES ('overlay-letter-' || NEW.user_id || '-' || NEW.number, 'overlay_letter_arrived',
      json_object('user_id', NEW.user_id, 'number', NEW.number), strftime('%Y-%m-%dT%H:%M:%fZ', 'now'));
END;

-- The overlays that are open now. An overlay says so every 30 seconds.
CREATE TABLE overlay_heartbeats (
  user_id TEXT NOT NULL REFERENCES overlays (user_id) ON DELETE CASCADE,
  -- The overlay's own name for itself.
  overlay_id TEXT NOT NULL,
  opened_at TEXT NOT NULL,
  seen_at TEXT NOT NULL,
  PRIMARY KEY (user_id, overlay_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX overlay_heartbeats_by_age ON overlay_heartbeats (seen_at);
