-- Closes the own address of public files that became recordings: a radio may have an audience. docs/decisions/0042.
UPDATE media_files SET access = 'event'
WHERE access = 'public' AND media_id IN (SELECT recording_media_id FROM radios WHERE recording_media_id IS NOT NULL);

-- Whether an operator has done the same already. docs/decisions/0024.
CREATE INDEX operator_acts_of_subject ON operator_acts (subject, operation);
