/** The letters people of the demo world have written to each other, oldest first for each receiver. */
import { lettersToAkari } from "./akari.ts";
import { lettersToHibiki } from "./hibiki.ts";
import { lettersToKanade } from "./kanade.ts";
import { lettersToMio } from "./mio.ts";
import { lettersToNatsume } from "./natsume.ts";
import { earlyLettersToNatsume } from "./natsume-early.ts";
import { lettersToRen } from "./ren.ts";
import { lettersToSumire } from "./sumire.ts";
import { lettersToYamato } from "./yamato.ts";

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

export const letters: readonly Letter[] = [
  ...earlyLettersToNatsume,
  ...lettersToNatsume,
  ...lettersToHibiki,
  ...lettersToSumire,
  ...lettersToYamato,
  ...lettersToKanade,
  ...lettersToAkari,
  ...lettersToMio,
  ...lettersToRen,
];
