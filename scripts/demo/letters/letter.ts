import type { LetterAppearanceId, StampId } from "../../../workers/contract/letter-choices.ts";

export type Letter = {
  /** The key of the sender. */
  from: string;
  /** The key of the receiver, a creator. */
  to: string;
  /** 1 to 200 graphemes. */
  message: string;
  days_ago: number;
  is_public: boolean;
  liked: boolean;
  reply: string | null;
  reply_days_ago: number | null;
  /** Every letter of the demo is free. */
  amount: 0;
  stamp?: StampId;
  paper?: LetterAppearanceId;
};
