-- Newsletters wait for all other mails, also for those of notifications, which wait for mails that nobody can stop.
DROP INDEX mails_in_turn;
CREATE INDEX mails_in_turn ON mails ((stop_link IS NOT NULL) + (content_id IS NOT NULL), next_attempt_at, mail_id)
  WHERE state = 'queued';
-- From when the mail comes too late; NULL for mails that wait as long as their server wants.
ALTER TABLE mails ADD COLUMN expires_at TEXT;
