-- The keys with which the first operator of a site registers, as hashes. Each start of a site without an operator adds one;
-- using any of them deletes all (docs/decisions/0052).
CREATE TABLE first_operator_keys (
  key_hash TEXT PRIMARY KEY,
  created_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
-- Few accounts have claims: whether one of them is an operator's is asked at every request for the page.
CREATE INDEX accounts_with_claims ON accounts (local_id) WHERE custom_claims IS NOT NULL;
