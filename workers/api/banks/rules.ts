import { toHolderKana } from "../../contract/account-holder.ts";
import { toNormalForm } from "../../contract/normal-form.ts";

/** A bank or a branch of the list. `kana` is its reading in the letters of {@link toSearchText}. */
export interface Place {
  code: string;
  name: string;
  kana: string;
}

/**
 * The banks that the choice begins with: Japan Post Bank, the large city banks, and the net banks that most people of our
 * kind of service use.
 */
export const USUAL_BANKS = ["9900", "0005", "0009", "0001", "0010", "0036", "0033", "0038", "0040", "0034"];

/** Words at the end of what people type that the list omits or writes shorter. */
const OMITTED = /(?:銀行|支店)$/;
const SHORTENED: readonly [typed: string, listed: string][] = [
  ["信用金庫", "信金"],
  ["信用組合", "信組"],
  ["労働金庫", "労金"],
  ["農業協同組合", "農協"],
];

/** Writes a name or a reading so that hiragana, small kana, half-width letters and blanks make no difference. */
function toSearchText(text: string): string {
  return toHolderKana(text).replace(/[\s\-ー・]/g, "");
}

/**
 * Returns the places whose code begins with `q` or whose name or reading contains it: an exact match first, then those that
 * begin with it. An empty `q` finds all places.
 */
export function findPlaces(places: readonly Place[], q: string): Place[] {
  const shortened = SHORTENED.reduce(
    (text, [typed, listed]) => text.replace(typed, listed),
    toNormalForm(q, "NFKC").trim(),
  );
  const wanted = toSearchText(shortened.replace(OMITTED, "") || shortened);
  if (wanted === "") return [...places];
  const ranked = places.flatMap((place) => {
    const texts = [place.code, toSearchText(place.name), toSearchText(place.kana)];
    if (texts.includes(wanted)) return [{ place, rank: 0 }];
    if (texts.some((text) => text.startsWith(wanted))) return [{ place, rank: 1 }];
    return texts.slice(1).some((text) => text.includes(wanted)) ? [{ place, rank: 2 }] : [];
  });
  return ranked.sort((a, b) => a.rank - b.rank).map(({ place }) => place);
}
