-- Letters in the chat of live radio, and captions. docs/decisions/0044 and 0043.

-- The line of a letter has a letter instead of words, and its sender only if the room may name them. SQLite cannot make a
-- column optional, so the table is made again.
CREATE TABLE new_radio_chat_messages (
  message_id TEXT PRIMARY KEY,
  radio_id TEXT NOT NULL REFERENCES radios (radio_id) ON DELETE CASCADE,
  user_id TEXT REFERENCES users (user_id) ON DELETE CASCADE,
  message TEXT CHECK (message <> ''),
  ofuse_id TEXT REFERENCES ofuses (ofuse_id) ON DELETE CASCADE,
  -- The moment becomes a chapter of the recording.
  pinned_at TEXT,
  created_at TEXT NOT NULL,
  CHECK ((message IS NULL) = (ofuse_id IS NOT NULL)),
  CHECK (user_id IS NOT NULL OR ofuse_id IS NOT NULL)
) STRICT;
INSERT INTO new_radio_chat_messages (message_id, radio_id, user_id, message, pinned_at, created_at)
  SELECT message_id, radio_id, user_id, message, pinned_at, created_at FROM radio_chat_messages;
DROP TABLE radio_chat_messages;
ALTER TABLE new_radio_chat_messages RENAME TO radio_chat_messages;
CREATE INDEX radio_chat_messages_of_radio ON radio_chat_messages (radio_id, message_id DESC);
CREATE INDEX radio_chat_messages_of_user ON radio_chat_messages (user_id, message_id);
CREATE INDEX radio_chat_messages_pinned ON radio_chat_messages (radio_id, pinned_at) WHERE pinned_at IS NOT NULL;
-- A letter has one line, however often its outbox row is delivered.
CREATE UNIQUE INDEX radio_chat_messages_of_letter ON radio_chat_messages (ofuse_id) WHERE ofuse_id IS NOT NULL;

-- A letter to a broadcaster on air appears in the chat. A row of its own, so that a room that fails delays no notification
-- of the letter.
CREATE TRIGGER ofuses_arrive_on_air AFTER INSERT ON ofuses
WHEN EXISTS (SELECT 1 FROM radios WHERE user_id = NEW.receiver_user_id AND status = 'on_air' AND is_chat_on = 1) BEGIN
  INSERT INTO outbox (outbox_id, kind, payload, created_at)
    SELECT 'radio-letter-' || NEW.ofuse_id, 'radio_letter_arrived',
      json_object('radio_id', radio_id, 'ofuse_id', NEW.ofuse_id), strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
    FROM radios WHERE user_id = NEW.receiver_user_id AND status = 'on_air';
END;

-- What a broadcaster says, in words typed on air. Identifiers sort in the order of writing.
CREATE TABLE radio_captions (
  caption_id TEXT PRIMARY KEY,
  radio_id TEXT NOT NULL REFERENCES radios (radio_id) ON DELETE CASCADE,
  -- The radio's owner, who wrote it.
  user_id TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
  words TEXT NOT NULL CHECK (words <> ''),
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX radio_captions_of_radio ON radio_captions (radio_id, caption_id DESC);
CREATE INDEX radio_captions_of_user ON radio_captions (user_id, caption_id);
