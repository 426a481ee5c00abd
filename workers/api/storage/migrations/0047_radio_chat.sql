-- The chat of live radio. docs/decisions/0044.

-- Identifiers sort in the order in which the room wrote the messages. A deleted message has no row.
CREATE TABLE radio_chat_messages (
  message_id TEXT PRIMARY KEY,
  radio_id TEXT NOT NULL REFERENCES radios (radio_id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
  message TEXT NOT NULL CHECK (message <> ''),
  -- The moment becomes a chapter of the recording.
  pinned_at TEXT,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX radio_chat_messages_of_radio ON radio_chat_messages (radio_id, message_id DESC);
CREATE INDEX radio_chat_messages_of_user ON radio_chat_messages (user_id, message_id);
CREATE INDEX radio_chat_messages_pinned ON radio_chat_messages (radio_id, pinned_at) WHERE pinned_at IS NOT NULL;

-- The owner's settings. A room without a row has no limits. Both lists are JSON; the second is normalised for comparison.
CREATE TABLE radio_chat_rooms (
  radio_id TEXT PRIMARY KEY REFERENCES radios (radio_id) ON DELETE CASCADE,
  slow_mode_seconds INTEGER NOT NULL CHECK (slow_mode_seconds BETWEEN 0 AND 300),
  ng_words TEXT NOT NULL CHECK (json_valid(ng_words)),
  folded_ng_words TEXT NOT NULL CHECK (json_valid(folded_ng_words)),
  updated_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE radio_chat_reactions (
  radio_id TEXT NOT NULL REFERENCES radios (radio_id) ON DELETE CASCADE,
  emoji TEXT NOT NULL,
  times INTEGER NOT NULL CHECK (times > 0),
  PRIMARY KEY (radio_id, emoji)
) STRICT, WITHOUT ROWID;

-- People who may not write in the chats of a broadcaster.
CREATE TABLE radio_chat_restrictions (
  owner_user_id TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
  created_at TEXT NOT NULL,
  PRIMARY KEY (owner_user_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX radio_chat_restrictions_newest ON radio_chat_restrictions (owner_user_id, created_at DESC, user_id);
CREATE INDEX radio_chat_restrictions_of_user ON radio_chat_restrictions (user_id);

-- A request that was admitted before its sender left writes nothing afterwards. Messages check it in their own statement.
CREATE TRIGGER radio_chat_restrictions_of_nobody_left BEFORE INSERT ON radio_chat_restrictions
WHEN EXISTS (SELECT 1 FROM users WHERE user_id = NEW.owner_user_id AND left_at IS NOT NULL) BEGIN
  SELECT RAISE(ABORT, 'precondition account_left failed');
END;
