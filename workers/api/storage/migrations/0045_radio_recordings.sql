-- The recording of a radio, and the end of its sound. docs/decisions/0042.

-- The file of a completed recording: its length, its size, and the packets that the broadcaster sent.
ALTER TABLE radios ADD COLUMN duration_ms INTEGER CHECK (duration_ms >= 0);
ALTER TABLE radios ADD COLUMN bytes INTEGER CHECK (bytes >= 0);
ALTER TABLE radios ADD COLUMN packets INTEGER CHECK (packets >= 0);

-- A radio ends by its owner, by the clock, by leaving and by an operator. Each ends the sound. Its recording is being
-- written from then on if the broadcaster's page was ever heard.
CREATE TRIGGER radios_end_their_sound AFTER UPDATE OF status ON radios
WHEN OLD.status = 'on_air' AND NEW.status = 'finished' BEGIN
  UPDATE radios SET recording_state = 'processing' WHERE radio_id = NEW.radio_id AND last_signal_at > started_at;
  INSERT INTO outbox (outbox_id, kind, payload, created_at)
    VALUES ('radio-finished-' || NEW.radio_id, 'radio_finished', json_object('radio_id', NEW.radio_id),
      strftime('%Y-%m-%dT%H:%M:%fZ', 'now'));
END;

-- The file of a deleted radio is deleted by a reaction, because it may still be being written.
CREATE TRIGGER radios_delete_their_recording AFTER DELETE ON radios WHEN OLD.status <> 'scheduled' BEGIN
  INSERT INTO outbox (outbox_id, kind, payload, created_at)
    VALUES ('radio-deleted-' || OLD.radio_id, 'radio_recording_deleted', json_object('radio_id', OLD.radio_id),
      strftime('%Y-%m-%dT%H:%M:%fZ', 'now'));
END;

-- A disabled account is on air no longer.
CREATE TRIGGER users_disable_their_radio AFTER UPDATE OF disabled_at ON users
WHEN OLD.disabled_at IS NULL AND NEW.disabled_at IS NOT NULL BEGIN
  UPDATE radios SET status = 'finished', finished_at = max(started_at, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
    WHERE user_id = NEW.user_id AND status = 'on_air';
END;
