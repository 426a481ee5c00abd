-- Every way in: telephones, other providers, second factors, links by mail; sign-ins as a list, and refresh tokens that rotate.

-- E.164; an account may have a telephone and no address.
ALTER TABLE accounts ADD COLUMN phone_number TEXT CHECK (phone_number GLOB '+[1-9]*' AND length(phone_number) BETWEEN 8 AND 16);
-- Whether the person signs in by the address, with a password or a link; otherwise it is only written to.
ALTER TABLE accounts ADD COLUMN signs_in_by_email INTEGER NOT NULL DEFAULT 0 CHECK (signs_in_by_email IN (0, 1));
UPDATE accounts SET signs_in_by_email = 1 WHERE email IS NOT NULL;
ALTER TABLE accounts ADD COLUMN photo_url TEXT CHECK (length(photo_url) <= 2048);
-- A JSON object that every ID token of the account carries; set by an operator. Source: Firebase, "Control access with custom claims".
ALTER TABLE accounts ADD COLUMN custom_claims TEXT CHECK (json_type(custom_claims) = 'object' AND length(custom_claims) <= 1000);
CREATE UNIQUE INDEX accounts_by_phone ON accounts (phone_number) WHERE phone_number IS NOT NULL;

-- The person's accounts at other providers: one of each provider for an account, and one account for each of them.
CREATE TABLE linked_identities (
  provider_id TEXT NOT NULL CHECK (length(provider_id) BETWEEN 1 AND 64),
  -- The provider's `sub`.
  federated_id TEXT NOT NULL CHECK (length(federated_id) BETWEEN 1 AND 255),
  local_id TEXT NOT NULL REFERENCES accounts (local_id) ON DELETE CASCADE,
  email TEXT,
  display_name TEXT,
  photo_url TEXT,
  linked_at TEXT NOT NULL,
  PRIMARY KEY (provider_id, federated_id),
  UNIQUE (local_id, provider_id)
) STRICT, WITHOUT ROWID;

-- A sign-in: one browser, one key for global sign-out, one family of refresh tokens. `device` is its User-Agent as it was sent.
CREATE TABLE sign_ins (
  sign_in_id TEXT PRIMARY KEY CHECK (length(sign_in_id) BETWEEN 16 AND 64),
  local_id TEXT NOT NULL REFERENCES accounts (local_id) ON DELETE CASCADE,
  -- `password`, `emailLink`, `phone`, `custom`, `google.com`, ...: the `sign_in_provider` of its tokens.
  sign_in_provider TEXT NOT NULL CHECK (length(sign_in_provider) BETWEEN 1 AND 64),
  -- `totp`, `phone` or `recovery`; NULL where no second factor was asked for.
  second_factor TEXT CHECK (second_factor IN ('totp', 'phone', 'recovery')),
  second_factor_id TEXT,
  key_for_global_sign_out TEXT NOT NULL UNIQUE,
  device TEXT NOT NULL DEFAULT '' CHECK (length(device) <= 400),
  signed_in_at TEXT NOT NULL,
  last_used_at TEXT NOT NULL,
  revoked_at TEXT
) STRICT;
CREATE INDEX sign_ins_by_account ON sign_ins (local_id, last_used_at DESC);
CREATE INDEX sign_ins_by_use ON sign_ins (last_used_at);
CREATE INDEX sign_ins_by_end ON sign_ins (revoked_at) WHERE revoked_at IS NOT NULL;

INSERT INTO sign_ins (sign_in_id, local_id, sign_in_provider, key_for_global_sign_out, signed_in_at, last_used_at, revoked_at)
SELECT lower(hex(randomblob(16))), local_id, sign_in_provider, key_for_global_sign_out, signed_in_at, last_used_at, revoked_at
FROM refresh_tokens WHERE true
ON CONFLICT (key_for_global_sign_out) DO NOTHING;

-- A token is given once and then gives way to its successor, which can be found from it alone (provider/sessions.ts).
CREATE TABLE refresh_tokens_next (
  token_hash TEXT PRIMARY KEY CHECK (length(token_hash) = 64),
  sign_in_id TEXT NOT NULL REFERENCES sign_ins (sign_in_id) ON DELETE CASCADE,
  created_at TEXT NOT NULL,
  -- When its successor was first given. For 60 seconds it is given again; after that the token was stolen or lost.
  rotated_at TEXT
) STRICT;
INSERT INTO refresh_tokens_next (token_hash, sign_in_id, created_at)
SELECT token_hash, sign_in_id, refresh_tokens.signed_in_at
FROM refresh_tokens JOIN sign_ins USING (key_for_global_sign_out);
DROP TRIGGER refresh_tokens_die_with_account;
DROP TABLE refresh_tokens;
ALTER TABLE refresh_tokens_next RENAME TO refresh_tokens;
CREATE INDEX refresh_tokens_by_sign_in ON refresh_tokens (sign_in_id);
CREATE INDEX refresh_tokens_by_rotation ON refresh_tokens (rotated_at) WHERE rotated_at IS NOT NULL;

-- An operator disables an account with one UPDATE; its sign-ins must not come back when it is enabled again.
CREATE TRIGGER sign_ins_die_with_account AFTER UPDATE OF disabled ON accounts WHEN NEW.disabled = 1
BEGIN
  UPDATE sign_ins SET revoked_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
  WHERE local_id = NEW.local_id AND revoked_at IS NULL;
END;

-- Second factors. The secret of a time-based one (RFC 6238) is a JWE under ENCRYPTION_KEY.
CREATE TABLE factors (
  factor_id TEXT PRIMARY KEY CHECK (length(factor_id) BETWEEN 16 AND 64),
  local_id TEXT NOT NULL REFERENCES accounts (local_id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('totp', 'phone')),
  display_name TEXT,
  sealed_secret TEXT,
  -- The time step of the last accepted code: a code is valid once.
  last_step INTEGER,
  phone_number TEXT,
  enrolled_at TEXT NOT NULL,
  CHECK (kind = 'totp' AND sealed_secret IS NOT NULL AND phone_number IS NULL
    OR kind = 'phone' AND phone_number IS NOT NULL AND sealed_secret IS NULL)
) STRICT;
CREATE UNIQUE INDEX factors_one_totp ON factors (local_id) WHERE kind = 'totp';
CREATE UNIQUE INDEX factors_by_phone ON factors (local_id, phone_number) WHERE kind = 'phone';

-- For people who lost their second factor. Each is valid once; new ones replace the old.
CREATE TABLE recovery_codes (
  local_id TEXT NOT NULL REFERENCES accounts (local_id) ON DELETE CASCADE,
  code_hash TEXT NOT NULL CHECK (length(code_hash) = 64),
  created_at TEXT NOT NULL,
  PRIMARY KEY (local_id, code_hash)
) STRICT, WITHOUT ROWID;

-- First halves of two-step acts (challenges): a code sent to a telephone, a factor being enrolled or asked for, a redirect to
-- another provider. Named by a secret that the browser holds, kept hashed; `detail` is JSON.
CREATE TABLE challenges (
  challenge_hash TEXT PRIMARY KEY CHECK (length(challenge_hash) = 64),
  kind TEXT NOT NULL CHECK (kind IN ('phone_code', 'totp_enrolment', 'second_factor', 'federated', 'pending_credential',
    'developer_code')),
  local_id TEXT REFERENCES accounts (local_id) ON DELETE CASCADE,
  detail TEXT NOT NULL CHECK (json_valid(detail)),
  failures INTEGER NOT NULL DEFAULT 0 CHECK (failures >= 0),
  expires_at TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX challenges_by_account ON challenges (local_id) WHERE local_id IS NOT NULL;
CREATE INDEX challenges_by_expiry ON challenges (expires_at);

-- Links by mail. An e-mail link may be asked for an address that has no account yet.
CREATE TABLE oob_codes_next (
  code_hash TEXT PRIMARY KEY CHECK (length(code_hash) = 64),
  request_type TEXT NOT NULL
    CHECK (request_type IN ('VERIFY_EMAIL', 'PASSWORD_RESET', 'EMAIL_SIGNIN', 'VERIFY_AND_CHANGE_EMAIL', 'RECOVER_EMAIL')),
  local_id TEXT REFERENCES accounts (local_id) ON DELETE CASCADE,
  -- The address the account had when the code was made; for EMAIL_SIGNIN the address that signs in.
  email TEXT,
  -- VERIFY_AND_CHANGE_EMAIL: the address it is to have.
  new_email TEXT,
  expires_at TEXT NOT NULL,
  created_at TEXT NOT NULL,
  CHECK (local_id IS NOT NULL OR request_type = 'EMAIL_SIGNIN' AND email IS NOT NULL)
) STRICT;
INSERT INTO oob_codes_next (code_hash, request_type, local_id, email, expires_at, created_at)
SELECT code_hash, request_type, oob_codes.local_id, accounts.email, expires_at, oob_codes.created_at
FROM oob_codes JOIN accounts USING (local_id);
DROP TABLE oob_codes;
ALTER TABLE oob_codes_next RENAME TO oob_codes;
CREATE INDEX oob_codes_by_account ON oob_codes (local_id, request_type) WHERE local_id IS NOT NULL;
CREATE INDEX oob_codes_by_email ON oob_codes (email, request_type);
CREATE INDEX oob_codes_by_expiry ON oob_codes (expires_at);

-- The outbox of the embedded provider: mails, and messages to telephones.
CREATE TABLE mails_next (
  mail_id TEXT PRIMARY KEY,
  channel TEXT NOT NULL DEFAULT 'mail' CHECK (channel IN ('mail', 'sms')),
  local_id TEXT REFERENCES accounts (local_id) ON DELETE CASCADE,
  recipient TEXT NOT NULL,
  subject TEXT NOT NULL,
  text TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
INSERT INTO mails_next (mail_id, local_id, recipient, subject, text, created_at)
SELECT mail_id, local_id, recipient, subject, text, created_at FROM mails;
DROP TABLE mails;
ALTER TABLE mails_next RENAME TO mails;
CREATE INDEX mails_by_account ON mails (local_id);
CREATE INDEX mails_by_time ON mails (created_at, mail_id);

-- provider/attempts.ts decides what counts.
CREATE TABLE attempts_next (
  attempt_id TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (length(kind) BETWEEN 1 AND 40),
  subject TEXT NOT NULL CHECK (length(subject) = 64),
  attempted_at TEXT NOT NULL
) STRICT;
INSERT INTO attempts_next (attempt_id, kind, subject, attempted_at) SELECT attempt_id, kind, subject, attempted_at FROM attempts;
DROP TABLE attempts;
ALTER TABLE attempts_next RENAME TO attempts;
CREATE INDEX attempts_by_subject ON attempts (kind, subject, attempted_at);
CREATE INDEX attempts_by_time ON attempts (attempted_at);

-- Networks from which an account signed in. Failures from other networks do not lock these out.
CREATE TABLE known_networks (
  local_id TEXT NOT NULL REFERENCES accounts (local_id) ON DELETE CASCADE,
  network_hash TEXT NOT NULL CHECK (length(network_hash) = 43),
  last_seen_at TEXT NOT NULL,
  PRIMARY KEY (local_id, network_hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX known_networks_by_time ON known_networks (last_seen_at);
-- The developer identity provider has its own key, so that its tokens are never accepted as the provider's.
CREATE TABLE developer_keys (
  key_id INTEGER PRIMARY KEY CHECK (key_id = 1),
  public_jwk TEXT NOT NULL,
  sealed_private_jwk TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
