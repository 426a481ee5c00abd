-- Archives of ours restore the profile and the newsletters too: docs/decisions/0048.
ALTER TABLE imports ADD COLUMN overwrites_profile INTEGER NOT NULL DEFAULT 0 CHECK (overwrites_profile IN (0, 1));

-- SQLite cannot change a CHECK, so the table is made again.
CREATE TABLE new_import_items (
  import_id TEXT NOT NULL REFERENCES imports (import_id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('profile', 'category', 'plan', 'file', 'post', 'newsletter')),
  item_key TEXT NOT NULL,
  title TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('planned', 'done', 'skipped', 'refused')),
  reason TEXT,
  result_id TEXT,
  PRIMARY KEY (import_id, position)
) STRICT, WITHOUT ROWID;
INSERT INTO new_import_items (import_id, position, kind, item_key, title, state, reason, result_id)
  SELECT import_id, position, kind, item_key, title, state, reason, result_id FROM import_items;
DROP TABLE import_items;
ALTER TABLE new_import_items RENAME TO import_items;
CREATE UNIQUE INDEX import_items_by_key ON import_items (import_id, kind, item_key);
CREATE INDEX import_items_by_state ON import_items (import_id, state, position);

-- The draft that came from a newsletter elsewhere, as imported_posts says it of posts.
CREATE TABLE imported_newsletters (
  user_id TEXT NOT NULL REFERENCES users (user_id),
  source_key TEXT NOT NULL,
  newsletter_id TEXT NOT NULL REFERENCES newsletters (newsletter_id) ON DELETE CASCADE,
  PRIMARY KEY (user_id, source_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX imported_newsletters_of_newsletter ON imported_newsletters (newsletter_id);
