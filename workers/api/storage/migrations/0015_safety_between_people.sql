-- Safety between people: letters off a page, and titles out of other people's notifications. docs/decisions/0021.

-- When the receiver of a public letter took it off their page; null while it stands there. The trigger `ofuses_change` renews the page.
ALTER TABLE ofuses ADD COLUMN hidden_at TEXT;
DROP INDEX ofuses_answered_in_public;
-- `hidden_at` stands in it so that the index alone answers.
CREATE INDEX ofuses_answered_in_public ON ofuses (receiver_user_id, replied_at DESC, ofuse_id DESC, hidden_at)
  WHERE is_public = 1 AND replied_at IS NOT NULL;
UPDATE ofuses SET hidden_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
  WHERE is_public = 1 AND (
    EXISTS (SELECT 1 FROM blocks WHERE blocker_id = receiver_user_id AND blocking_id = sender_user_id)
    OR EXISTS (SELECT 1 FROM reports
      WHERE reporter_user_id = receiver_user_id AND subject_type = 'ofuse' AND subject_id = ofuse_id));

-- `message` is a sentence with gaps, `{actor}` and `{event}`, which are filled when it is read: a name that was changed is
-- the new one, and a post that was made private is not named. No foreign key: the notification outlives the post.
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
-- The same title waits in what is still to be told of a comment.
UPDATE outbox SET payload = json_remove(payload, '$.event_title') WHERE kind = 'event_commented';
-- And in the answers kept for a reader who opened a notification: such a retry finds it opened.
DELETE FROM idempotency_keys WHERE scope LIKE '% openNotification';

-- The draft a post was made of: one draft makes one post, from however many pages it is published.
ALTER TABLE events ADD COLUMN draft_id TEXT;
CREATE UNIQUE INDEX events_of_draft ON events (user_id, draft_id) WHERE draft_id IS NOT NULL;
