-- The payment with the corrected words that took the place of this one. NULL: its payer corrected nothing.
ALTER TABLE checkouts ADD COLUMN replaced_by TEXT;
-- Until when a run of the clock, or a cancellation, works on the payout. NULL: none does.
ALTER TABLE payouts ADD COLUMN claimed_until TEXT;
