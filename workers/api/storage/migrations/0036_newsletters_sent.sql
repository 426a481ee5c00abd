-- Newsletters that are written with the post's editor and sent by mail.

-- The body as a document. NULL for newsletters older than documents: `body` has their text.
ALTER TABLE newsletters ADD COLUMN document TEXT;
-- The outcomes of the mails, as the mails worker reports them (workers/api/newsletters/commands.ts, recordDeliveries).
ALTER TABLE newsletters ADD COLUMN receivers_count INTEGER NOT NULL DEFAULT 0 CHECK (receivers_count >= 0);
ALTER TABLE newsletters ADD COLUMN sent_count INTEGER NOT NULL DEFAULT 0 CHECK (sent_count >= 0);
ALTER TABLE newsletters ADD COLUMN bounced_count INTEGER NOT NULL DEFAULT 0 CHECK (bounced_count >= 0);
-- The receivers who stopped further newsletters by the link of this one.
ALTER TABLE newsletters ADD COLUMN unsubscribed_count INTEGER NOT NULL DEFAULT 0 CHECK (unsubscribed_count >= 0);

-- For the clock, which publishes them.
CREATE INDEX newsletters_scheduled ON newsletters (publish_at, newsletter_id) WHERE status = 'scheduled';
-- For the list of fans, newest first.
CREATE INDEX newsletters_published ON newsletters (user_id, published_at DESC, newsletter_id DESC)
  WHERE status = 'published';

-- The creators whose newsletters a person gets no mails of.
CREATE TABLE newsletter_stops (
  user_id TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
  creator_user_id TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
  stopped_at TEXT NOT NULL,
  PRIMARY KEY (user_id, creator_user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX newsletter_stops_of_creator ON newsletter_stops (creator_user_id, user_id);

-- The people who get no newsletter of anybody by mail.
CREATE TABLE newsletter_refusals (
  user_id TEXT PRIMARY KEY REFERENCES users (user_id) ON DELETE CASCADE,
  refused_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
