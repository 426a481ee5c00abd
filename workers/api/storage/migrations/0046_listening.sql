-- What listeners of radios get besides the sound: the words of a recording, and reminders. docs/decisions/0043.

-- The words of a recording, as its owner wrote them.
ALTER TABLE radios ADD COLUMN transcript TEXT NOT NULL DEFAULT '';

-- Members who want a notification when a radio starts.
CREATE TABLE radio_reminders (
  radio_id TEXT NOT NULL REFERENCES radios (radio_id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
  created_at TEXT NOT NULL,
  PRIMARY KEY (radio_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX radio_reminders_of_user ON radio_reminders (user_id);

-- Holders of a former key hear nothing of the radio any more.
CREATE TRIGGER radios_forget_reminders AFTER UPDATE OF url_key_hash ON radios
WHEN NEW.url_key_hash IS NOT NULL AND NEW.url_key_hash IS NOT OLD.url_key_hash BEGIN
  DELETE FROM radio_reminders WHERE radio_id = NEW.radio_id;
END;

CREATE TRIGGER radio_reminders_of_nobody_left BEFORE INSERT ON radio_reminders
WHEN EXISTS (SELECT 1 FROM users WHERE user_id = NEW.user_id AND left_at IS NOT NULL) BEGIN
  SELECT RAISE(ABORT, 'precondition account_left failed');
END;
