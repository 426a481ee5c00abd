-- The language in which the caller wants the mail (X-Firebase-Locale). It goes with the mail to the mails worker.
ALTER TABLE mails ADD COLUMN language TEXT NOT NULL DEFAULT 'ja' CHECK (language IN ('ja', 'en'));
