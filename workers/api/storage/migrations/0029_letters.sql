-- Look, donation and receipt of a paid letter. docs/decisions/0030.

-- The guest's address for the receipt and the link to claim the letter. Nobody else sees it. NULL once the letter was
-- claimed, or some months after the payment.
ALTER TABLE checkouts ADD COLUMN payer_email TEXT CHECK (payer_email IS NULL OR payer_user_id IS NULL);
CREATE INDEX checkouts_with_email ON checkouts (paid_at) WHERE payer_email IS NOT NULL;

-- The look of a letter: ids of the lists in workers/contract/letter-choices.ts. A paid letter on paper is a fan letter.
ALTER TABLE ofuses ADD COLUMN stamp_id TEXT;
ALTER TABLE ofuses ADD COLUMN letter_appearance_id TEXT;

-- Campaigns to which a letter can give a share of its amount. Operators open and close them.
CREATE TABLE donation_campaigns (
  donation_campaign_id TEXT PRIMARY KEY,
  name TEXT NOT NULL CHECK (name <> ''),
  description TEXT NOT NULL,
  url TEXT NOT NULL CHECK (url LIKE 'https://%'),
  opens_at TEXT NOT NULL,
  closes_at TEXT NOT NULL CHECK (closes_at >= opens_at)
) STRICT, WITHOUT ROWID;
-- The letter's donation to a campaign, in yen.
ALTER TABLE ofuses ADD COLUMN donation_campaign_id TEXT REFERENCES donation_campaigns (donation_campaign_id);
ALTER TABLE ofuses ADD COLUMN donation INTEGER NOT NULL DEFAULT 0
  CHECK (donation BETWEEN 0 AND amount AND (donation > 0) = (donation_campaign_id IS NOT NULL));
-- Payments of which a campaign got everything: the creator has no posting of them.
CREATE INDEX payments_given_away ON payments (creator_user_id, payment_id) WHERE creator_share = 0;
