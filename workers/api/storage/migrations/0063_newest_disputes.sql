-- The operators' list of disputes begins with the newest (docs/decisions/0053).
CREATE INDEX disputes_newest ON disputes (opened_at);
