-- The letter or comment that a notification tells of, so that its first line can be shown when the list is read. No foreign
-- key: the notification outlives it. Every occasion of these types ends with the id.
ALTER TABLE notifications ADD COLUMN subject_id TEXT;
UPDATE notifications SET subject_id = substr(occasion, -26)
  WHERE type IN ('get_ofuse', 'get_free_ofuse', 'get_ofuse_reply', 'new_event_comment', 'get_reply_comment');
