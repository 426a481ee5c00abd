/**
 * What a sender chooses for a letter. Never change an id, because letters have it. Names may change. public/letters has the
 * pictures, app/styles/letter-looks.css the papers.
 */

export const STAMPS = [
  { stamp_id: "thanks", name: "ありがとう" },
  { stamp_id: "cheer", name: "応援してます" },
  { stamp_id: "clap", name: "拍手" },
  { stamp_id: "heart", name: "だいすき" },
  { stamp_id: "tea", name: "おつかれさま" },
] as const;
export type StampId = (typeof STAMPS)[number]["stamp_id"];

export const LETTER_APPEARANCES = [
  { letter_appearance_id: "plain", name: "無地" },
  { letter_appearance_id: "lined", name: "罫線" },
  { letter_appearance_id: "sakura", name: "桜" },
  { letter_appearance_id: "starry", name: "星空" },
] as const;
export type LetterAppearanceId = (typeof LETTER_APPEARANCES)[number]["letter_appearance_id"];

/** How much of what the creator would receive a letter can give to a campaign, in percent. */
export const DONATION_PERCENTS = [10, 30, 50, 100] as const;
