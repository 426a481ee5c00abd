-- Safety between people: letters off a page, and titles out of other people's notifications. docs/decisions/0021.

-- When the receiver of a public letter took it off their page; null while it is there. The trigger `ofuses_change` renews the page.
ALTER TABLE ofuses ADD COLUMN hidden_at TEXT;
DROP INDEX ofuses_answered_in_public;
-- With `hidden_at`, so that reads use the index alone.
CREATE INDEX ofuses_answered_in_public ON ofuses (receiver_user_id, replied_at DESC, ofuse_id DESC, hidden_at)
  WHERE is_public = 1 AND replied_at IS NOT NULL;
UPDATE ofuses SET hidden_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
  WHERE is_public = 1 AND (
    EXISTS (SELECT 1 FROM blocks WHERE blocker_id = receiver_user_id AND blocking_id = sender_user_id)
    OR EXISTS (SELECT 1 FROM reports
      WHERE reporter_user_id = receiver_user_id AND subject_type = 'ofuse' AND subject_id = ofuse_id));

-- `message` is a sentence with the gaps `{actor}` and `{event}`. Reads fill them, with the present name, and without the title
-- of a private post. No foreign key: the notification outlives the post.
ALTER TABLE notifications ADD COLUMN event_id TEXT;
UPDATE notifications SET event_id = substr(path, instr(path, '/events/') + 8, 26)
  WHERE type IN ('event_created', 'new_event_comment', 'get_reply_comment') AND instr(path, '/events/') > 0;
UPDATE notifications SET message = CASE type
    WHEN 'event_created' THEN '{actor}さんが{event}を投稿しました。'
    WHEN 'new_event_comment' THEN '{actor}さんが{event}にコメントしました。'
    WHEN 'get_reply_comment' THEN '{actor}さんが{event}であなたのコメントに返信しました。'
    WHEN 'get_free_ofuse' THEN '{actor}さんからofuseが届きました。'
    WHEN 'get_ofuse_reply' THEN '{actor}さんからofuseの返信が届きました。'
    ELSE '{actor}さんがあなたをフォローしました。' END
  WHERE actor_user_id IS NOT NULL AND (
    type IN ('event_created', 'new_event_comment', 'get_reply_comment', 'get_free_ofuse', 'get_ofuse_reply')
    OR (type = 'custom' AND substr(occasion, 1, 9) = 'followed '));
-- Outbox rows of comments contain the same title.
UPDATE outbox SET payload = json_remove(payload, '$.event_title') WHERE kind = 'event_commented';
-- Answers kept for retries of openNotification contain it too. Without one, a retry finds the notification opened.
DELETE FROM idempotency_keys WHERE scope LIKE '% openNotification';

-- The draft that became the post. A draft makes one post, even if several pages publish it.
ALTER TABLE events ADD COLUMN draft_id TEXT;
CREATE UNIQUE INDEX events_of_draft ON events (user_id, draft_id) WHERE draft_id IS NOT NULL;
