-- Mails that can be stopped wait for all others, newsletters and notifications alike: a link to sign in must not wait for
-- 100,000 of them. docs/decisions/0037.
DROP INDEX mails_in_turn;
CREATE INDEX mails_in_turn ON mails ((stop_link IS NOT NULL), next_attempt_at, mail_id)
  WHERE state IN ('queued', 'sending');
