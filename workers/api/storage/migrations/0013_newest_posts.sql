-- The newest posts of all with their authors: where the timeline of somebody who follows many finds its first pages.
CREATE INDEX events_newest ON events (published_at DESC, event_id DESC, user_id) WHERE status = 'published';
