-- For operators: the newest suppressions, and how many there are for each reason.
CREATE INDEX suppressions_by_time ON suppressions (since);
CREATE INDEX suppressions_by_reason ON suppressions (reason);
