-- How often an operator has queued the mail again after it failed. Each time is a sending of its own, with its own
-- idempotency key: the provider would answer the old key without sending, and repeats its reports of the old sending.
ALTER TABLE mails ADD COLUMN retries INTEGER NOT NULL DEFAULT 0 CHECK (retries >= 0);
