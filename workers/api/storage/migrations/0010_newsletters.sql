-- Letters a creator mails to many fans at once.

CREATE TABLE newsletters (
  newsletter_id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
  title TEXT NOT NULL,
  body TEXT NOT NULL,
  fan_scope TEXT NOT NULL CHECK (fan_scope IN ('fans', 'memberships')),
  membership_id TEXT REFERENCES memberships (membership_id),
  status TEXT NOT NULL CHECK (status IN ('draft', 'scheduled', 'published')),
  -- The scheduled moment, also after publishing. Null for drafts, and for newsletters sent at once.
  publish_at TEXT,
  published_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  CHECK ((fan_scope = 'memberships') = (membership_id IS NOT NULL)),
  CHECK ((status = 'published') = (published_at IS NOT NULL)),
  CHECK (status <> 'scheduled' OR publish_at IS NOT NULL),
  CHECK (status <> 'draft' OR publish_at IS NULL),
  -- Only a draft may be unfinished.
  CHECK (status = 'draft' OR (title <> '' AND body <> ''))
) STRICT;
-- The creator's list, newest first: identifiers sort by time.
CREATE INDEX newsletters_of_user ON newsletters (user_id, newsletter_id DESC);
CREATE INDEX newsletters_drafts_of_user ON newsletters (user_id, newsletter_id DESC) WHERE status = 'draft';
CREATE INDEX newsletters_sent_by_user ON newsletters (user_id, newsletter_id DESC) WHERE status <> 'draft';
-- The month's quota counts by the scheduled moment if there is one, so that a late clock on the last of a month takes
-- nothing from the next month.
CREATE INDEX newsletters_counted ON newsletters (user_id, coalesce(publish_at, published_at)) WHERE status <> 'draft';
CREATE INDEX newsletters_for_membership ON newsletters (membership_id) WHERE membership_id IS NOT NULL;
