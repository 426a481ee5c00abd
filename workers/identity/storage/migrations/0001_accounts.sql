-- Accounts and what belongs to them. Moments are ISO 8601 in UTC with milliseconds, so that text order is time order.

CREATE TABLE accounts (
  local_id TEXT PRIMARY KEY CHECK (length(local_id) BETWEEN 1 AND 128),
  -- Lower case and NFC; NULL only for an account that another identity provider keeps.
  email TEXT UNIQUE CHECK (email = lower(email) AND length(email) BETWEEN 3 AND 254),
  email_verified INTEGER NOT NULL DEFAULT 0 CHECK (email_verified IN (0, 1)),
  display_name TEXT CHECK (display_name <> ''),
  password_hash TEXT CHECK (password_hash GLOB 'scrypt$*'),
  password_updated_at TEXT,
  disabled INTEGER NOT NULL DEFAULT 0 CHECK (disabled IN (0, 1)),
  pib_id TEXT CHECK (length(pib_id) BETWEEN 1 AND 128),
  -- Sign-ins before this moment are void: a password was changed or every device was signed out.
  valid_since TEXT NOT NULL,
  last_sign_in_at TEXT,
  created_at TEXT NOT NULL
) STRICT;

CREATE TABLE refresh_tokens (
  token_hash TEXT PRIMARY KEY CHECK (length(token_hash) = 64),
  local_id TEXT NOT NULL REFERENCES accounts (local_id) ON DELETE CASCADE,
  sign_in_provider TEXT NOT NULL CHECK (sign_in_provider IN ('password', 'custom')),
  key_for_global_sign_out TEXT NOT NULL,
  signed_in_at TEXT NOT NULL,
  last_used_at TEXT NOT NULL,
  revoked_at TEXT
) STRICT;
CREATE INDEX refresh_tokens_by_account ON refresh_tokens (local_id, key_for_global_sign_out);
CREATE INDEX refresh_tokens_by_use ON refresh_tokens (last_used_at);

-- An operator disables an account with one UPDATE; its sign-ins must not come back when it is enabled again.
CREATE TRIGGER refresh_tokens_die_with_account AFTER UPDATE OF disabled ON accounts WHEN NEW.disabled = 1
BEGIN
  UPDATE refresh_tokens SET revoked_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
  WHERE local_id = NEW.local_id AND revoked_at IS NULL;
END;

CREATE TABLE global_sign_outs (
  local_id TEXT NOT NULL REFERENCES accounts (local_id) ON DELETE CASCADE,
  key TEXT NOT NULL CHECK (length(key) BETWEEN 1 AND 128),
  registered_at TEXT NOT NULL,
  PRIMARY KEY (local_id, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE oob_codes (
  code_hash TEXT PRIMARY KEY CHECK (length(code_hash) = 64),
  local_id TEXT NOT NULL REFERENCES accounts (local_id) ON DELETE CASCADE,
  request_type TEXT NOT NULL CHECK (request_type IN ('VERIFY_EMAIL', 'PASSWORD_RESET')),
  expires_at TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX oob_codes_by_account ON oob_codes (local_id, request_type);
CREATE INDEX oob_codes_by_expiry ON oob_codes (expires_at);

-- The outbox of the embedded provider, read by the local outbox page.
CREATE TABLE mails (
  mail_id TEXT PRIMARY KEY,
  local_id TEXT NOT NULL REFERENCES accounts (local_id) ON DELETE CASCADE,
  recipient TEXT NOT NULL,
  subject TEXT NOT NULL,
  text TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX mails_by_account ON mails (local_id);
CREATE INDEX mails_by_time ON mails (created_at, mail_id);

-- Generations make "the next key" one row, however many workers find at once that it is due.
CREATE TABLE signing_keys (
  generation INTEGER PRIMARY KEY CHECK (generation > 0),
  kid TEXT NOT NULL UNIQUE,
  public_jwk TEXT NOT NULL,
  -- The private JWK as a JWE (dir, A256GCM) under ENCRYPTION_KEY.
  sealed_private_jwk TEXT NOT NULL,
  signs_from TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;

-- What the limits count. `subject` is a hash: people type passwords into the e-mail field.
CREATE TABLE attempts (
  attempt_id TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('account_sign_in', 'address_sign_in', 'address_sign_up')),
  subject TEXT NOT NULL CHECK (length(subject) = 64),
  attempted_at TEXT NOT NULL
) STRICT;
CREATE INDEX attempts_by_subject ON attempts (kind, subject, attempted_at);
CREATE INDEX attempts_by_time ON attempts (attempted_at);
