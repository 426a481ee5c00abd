-- A creator's transactions in their order, whatever their kind. A release changes no sum, so it is no transaction. With the kind,
-- because SQLite compares it again.
CREATE INDEX ledger_postings_walked ON ledger_postings (account_id, transfer_id, kind) WHERE kind <> 'earnings_released';
