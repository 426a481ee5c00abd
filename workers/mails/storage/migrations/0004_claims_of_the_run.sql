-- Claimed mails belong to the run in `delivery`, so they have no time of their own and leave the indexes of due mails.
DROP INDEX mails_due;
CREATE INDEX mails_due ON mails (next_attempt_at, mail_id) WHERE state = 'queued';
DROP INDEX mails_in_turn;
CREATE INDEX mails_in_turn ON mails ((stop_link IS NOT NULL), next_attempt_at, mail_id) WHERE state = 'queued';
-- When the next run may send its first mail, so that many short runs keep the pace together. Empty: at once.
ALTER TABLE delivery ADD COLUMN next_mail_at TEXT NOT NULL DEFAULT '';
