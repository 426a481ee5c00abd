-- A reader's newsletters, newest first: a creator's for followers, and those of a plan. docs/decisions/0036.
DROP INDEX newsletters_published;
CREATE INDEX newsletters_for_fans ON newsletters (user_id, published_at DESC, newsletter_id DESC)
  WHERE status = 'published' AND fan_scope = 'fans';
CREATE INDEX newsletters_for_members ON newsletters (membership_id, published_at DESC, newsletter_id DESC)
  WHERE status = 'published' AND fan_scope = 'memberships';
-- A creator's public posts, as feeds list them. docs/decisions/0012.
CREATE INDEX events_published_to_all ON events (user_id, published_at DESC, event_id DESC)
  WHERE status = 'published' AND publish_target_type = 'public';
