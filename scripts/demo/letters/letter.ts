export type Letter = {
  /** The key of the person who wrote it. */
  from: string;
  /** The key of the creator it was written to. */
  to: string;
  /** 1 to 200 characters as people count them. */
  message: string;
  days_ago: number;
  is_public: boolean;
  liked: boolean;
  reply: string | null;
  reply_days_ago: number | null;
  /** Every letter of the demo is a free one. */
  amount: 0;
};
