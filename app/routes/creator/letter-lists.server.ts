import { LETTER_APPEARANCES, STAMPS } from "../../../workers/contract/letter-choices.ts";

/** The lists for the fields and pictures of letters. From the loader, because the pages' scripts have no room for them. */

export const stampNames = Object.fromEntries(STAMPS.map(({ stamp_id, name }) => [stamp_id, name]));

export const letterChoices = [
  { name: "stamp_id", label: "スタンプ（任意）", names: { "": "なし", ...stampNames } },
  {
    name: "letter_appearance_id",
    label: "便せん（任意）",
    names: {
      "": "なし",
      ...Object.fromEntries(LETTER_APPEARANCES.map(({ letter_appearance_id, name }) => [letter_appearance_id, name])),
    },
  },
];
