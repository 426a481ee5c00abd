-- The payer's list is in the order of the date that it shows.
CREATE INDEX payments_of_payer_by_date ON payments (payer_user_id, paid_at, payment_id) WHERE payer_user_id IS NOT NULL;
