-- The mails worker writes and sends the mails (docs/decisions/0035). A row says what to hand over: the kind, and the values of
-- the gaps as JSON. `handed_at` is NULL until the mails worker has it. Text messages keep their text.
ALTER TABLE mails ADD COLUMN kind TEXT;
ALTER TABLE mails ADD COLUMN gaps TEXT;
ALTER TABLE mails ADD COLUMN handed_at TEXT;
CREATE INDEX mails_to_hand_over ON mails (created_at) WHERE handed_at IS NULL AND kind IS NOT NULL AND channel = 'mail';
