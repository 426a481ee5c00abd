/** The letters of the demo world, oldest first for each receiver. */

import { lettersToAkari } from "./akari.ts";
import { lettersToHibiki } from "./hibiki.ts";
import { lettersToKanade } from "./kanade.ts";
import type { Letter } from "./letter.ts";
import { lettersToMio } from "./mio.ts";
import { lettersToNatsume } from "./natsume.ts";
import { earlyLettersToNatsume } from "./natsume-early.ts";
import { lettersToRen } from "./ren.ts";
import { lettersToSumire } from "./sumire.ts";
import { lettersToYamato } from "./yamato.ts";

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
