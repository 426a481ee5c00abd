-- Only holders of the present key hear a broadcast for key holders, so reminders end when it becomes one and when its key
-- changes. The key of a recording alone ends none (docs/decisions/0043).
DROP TRIGGER radios_forget_reminders;
CREATE TRIGGER radios_forget_reminders AFTER UPDATE OF publish_target_type, url_key_hash ON radios
WHEN NEW.publish_target_type = 'url'
  AND (OLD.publish_target_type <> 'url' OR NEW.url_key_hash IS NOT OLD.url_key_hash) BEGIN
  DELETE FROM radio_reminders WHERE radio_id = NEW.radio_id;
END;

-- The reminders that such broadcasts may have from before they needed the key. Nothing tells them from those of present key
-- holders who asked before the radio was last edited, so these must ask again.
DELETE FROM radio_reminders WHERE EXISTS (
  SELECT 1 FROM radios WHERE radios.radio_id = radio_reminders.radio_id AND status = 'scheduled'
    AND publish_target_type = 'url' AND radio_reminders.created_at < radios.updated_at
);
