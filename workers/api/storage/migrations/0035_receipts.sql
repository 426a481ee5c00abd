-- A person's list of payments leads to the receipts of letters and comments.
CREATE INDEX checkouts_of_cause ON checkouts (cause_id) WHERE cause_id IS NOT NULL;
