-- Things that operators took down, with their former state, and the owner's one appeal (docs/decisions/0053).
CREATE TABLE removals (
  removal_id TEXT PRIMARY KEY,
  subject_type TEXT NOT NULL CHECK (subject_type IN ('event', 'event_comment', 'ofuse', 'radio_comment')),
  subject_id TEXT NOT NULL,
  -- The owner; NULL for a guest's letter.
  owner_user_id TEXT REFERENCES users (user_id) ON DELETE CASCADE,
  -- The state to restore: the status of a post, `is_public` of a letter; empty for comments.
  former TEXT NOT NULL,
  -- The operator's words to the owner.
  note TEXT,
  -- Also `removed_at` or `hidden_at` of the subject.
  removed_at TEXT NOT NULL,
  given_back_at TEXT,
  -- The owner's words.
  appeal TEXT CHECK (appeal <> ''),
  appealed_at TEXT,
  appeal_decision TEXT CHECK (appeal_decision IN ('granted', 'refused')),
  appeal_note TEXT,
  answered_at TEXT,
  CHECK ((appeal IS NULL) = (appealed_at IS NULL)),
  CHECK ((appeal_decision IS NULL) = (answered_at IS NULL)),
  CHECK (appeal_decision IS NULL OR appeal IS NOT NULL),
  CHECK (appeal_decision IS NOT 'granted' OR given_back_at IS NOT NULL)
) STRICT;
CREATE UNIQUE INDEX removals_in_force ON removals (subject_type, subject_id) WHERE given_back_at IS NULL;
CREATE INDEX removals_of_owner ON removals (owner_user_id, removal_id) WHERE owner_user_id IS NOT NULL;
CREATE INDEX removals_to_answer ON removals (removal_id) WHERE appealed_at IS NOT NULL AND answered_at IS NULL;
CREATE INDEX removals_appealed ON removals (removal_id) WHERE appealed_at IS NOT NULL;

-- Earlier removals, without a known former state: a post comes back private, a letter between the two people.
INSERT INTO removals (removal_id, subject_type, subject_id, owner_user_id, former, note, removed_at)
  SELECT min(report_id), subject_type, subject_id, subject_user_id,
    CASE subject_type WHEN 'event' THEN 'private' WHEN 'ofuse' THEN '0' ELSE '' END, max(decision_note), min(decided_at)
  FROM reports WHERE decision = 'removed' GROUP BY subject_type, subject_id;
