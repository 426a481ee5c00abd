-- The content of a newsletter, stored once for all its receivers. `{stop <content_id>}` stands for the receiver's link.
CREATE TABLE newsletter_contents (
  content_id TEXT PRIMARY KEY,
  subject TEXT NOT NULL,
  text TEXT NOT NULL,
  html TEXT NOT NULL,
  handed_count INTEGER NOT NULL DEFAULT 0 CHECK (handed_count >= 0),
  sent_count INTEGER NOT NULL DEFAULT 0 CHECK (sent_count >= 0),
  bounced_count INTEGER NOT NULL DEFAULT 0 CHECK (bounced_count >= 0),
  -- Whether the API has these counts.
  is_reported INTEGER NOT NULL DEFAULT 1 CHECK (is_reported IN (0, 1)),
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX newsletter_contents_unreported ON newsletter_contents (content_id) WHERE is_reported = 0;
CREATE INDEX newsletter_contents_with_words ON newsletter_contents (created_at) WHERE html <> '';

-- The words of such a mail are in its content.
ALTER TABLE mails ADD COLUMN content_id TEXT REFERENCES newsletter_contents (content_id);
ALTER TABLE mails ADD COLUMN stop_link TEXT;
CREATE INDEX mails_of_content ON mails (content_id, recipient_hash) WHERE content_id IS NOT NULL;
-- Newsletters wait for all other mails: a link to sign in must not wait for 100,000 newsletters.
CREATE INDEX mails_in_turn ON mails ((content_id IS NOT NULL), next_attempt_at, mail_id)
  WHERE state IN ('queued', 'sending');
