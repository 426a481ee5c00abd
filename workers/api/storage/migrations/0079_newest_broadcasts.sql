-- Lists of one creator's radios by the moment that they show: an announced radio is on air long after it was made.
-- docs/decisions/0039.
CREATE INDEX radios_of_user_by_moment
  ON radios (user_id, coalesce(started_at, starts_at, created_at) DESC, radio_id DESC);

-- The search index no longer has variation selectors (INDEX_FORMAT 3). A database without creators has nothing to index again.
INSERT INTO outbox (outbox_id, kind, payload, created_at)
  SELECT 'search-format-3', 'search_rebuild_wanted', '{}', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
  WHERE EXISTS (SELECT 1 FROM users WHERE is_creator = 1);
