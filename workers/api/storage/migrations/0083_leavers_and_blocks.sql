-- The gateway's accounts of creators who left, which the clock must still delete there, with name, papers and bank account.
-- `user_id` finds their payouts: the account stays while one is under way. `ask_at` is when the clock tries again.
-- docs/decisions/0031.
CREATE TABLE abandoned_accounts (
  account_id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL,
  left_at TEXT NOT NULL,
  ask_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX abandoned_accounts_due ON abandoned_accounts (ask_at);
CREATE TRIGGER creator_accounts_are_abandoned AFTER DELETE ON creator_accounts WHEN OLD.account_id IS NOT NULL BEGIN
  INSERT OR IGNORE INTO abandoned_accounts (account_id, user_id, left_at, ask_at)
    VALUES (OLD.account_id, OLD.user_id, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), strftime('%Y-%m-%dT%H:%M:%fZ', 'now'));
END;

-- Followers' activities omit letters of people whom the reader has blocked, from the index alone. docs/decisions/0021.
DROP INDEX ofuses_answered_in_public;
CREATE INDEX ofuses_answered_in_public
  ON ofuses (receiver_user_id, replied_at DESC, ofuse_id DESC, hidden_at, sender_user_id, is_anonymous)
  WHERE is_public = 1 AND replied_at IS NOT NULL;

-- Reports and appeals whose words the clock deletes a year after the decision.
CREATE INDEX reports_with_words ON reports (decided_at) WHERE detail <> '';
CREATE INDEX removals_with_words ON removals (answered_at)
  WHERE appeal <> '（保存期間を過ぎたため、本文を削除しました）';
