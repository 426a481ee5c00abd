import type { Character, Faces } from "./characters.ts";

/** A text laid out in lines. */
export interface Setting {
  size: number;
  lines: Character[][];
}

/**
 * Characters that may not begin a line. Source: JIS X 4051, kinsoku, with small kana and the long-vowel mark as in its
 * strict form.
 */
const NOT_FIRST = new Set(
  "、。，．・：；？！?!,.:;)]}）］｝〕〉》」』】〙〗〟’”»%％‐ー―…‥～〜々〻ゝゞヽヾぁぃぅぇぉっゃゅょゎゕゖァィゥェォッャュョヮヵヶ゛゜",
);
/** Characters that may not end a line. */
const NOT_LAST = new Set("([{（［｛〔〈《「『【〘〖〝‘“«¥￥$＄£#＃");
/** A phrase has at most this many characters, so that a text in hiragana alone can be broken. */
const MAX_PHRASE = 8;

const segmenter = new Intl.Segmenter("ja", { granularity: "word" });
const widthOf = (characters: readonly Character[]) => characters.reduce((sum, { width }) => sum + width, 0);
const textOf = (characters: readonly Character[]) => characters.map(({ text }) => text).join("");
const isBlank = (character: Character | undefined) => character?.text === " ";
const isKinsoku = (before: Character, after: Character) => NOT_LAST.has(before.text) || NOT_FIRST.has(after.text);
const isWestern = (character: Character) => /^[!-~¡-ʯͰ-ӿ]/.test(character.text);

/** A font size, and the number of lines that have room at that size. */
export interface Fit {
  size: number;
  max_lines: number;
}

/**
 * Lays out a text at the first size at which it fits, in lines of about equal length. At the last size it cuts
 * the text to fit and adds an ellipsis.
 */
export function setText(
  characters: readonly Character[],
  { width, fits, faces }: { width: number; fits: readonly [Fit, ...Fit[]]; faces: Faces },
): Setting {
  const phrases = phrasesOf(characters);
  for (const { size, max_lines } of fits) {
    const lines = fillLines(phrases, width / size);
    if (lines.length <= max_lines) return { size, lines: balanceLines(phrases, width / size, lines) };
  }
  const { size, max_lines } = fits.at(-1) as Fit;
  const ems = width / size;
  const lines = fillLines(phrases, ems);
  const last = cutToFit(lines.slice(max_lines - 1).flat(), ems, faces);
  return { size, lines: [...lines.slice(0, max_lines - 1), last] };
}

/**
 * Splits a text into the pieces between which a line may break: words, with the kana that inflect them and their
 * punctuation.
 */
function phrasesOf(characters: readonly Character[]): Character[][] {
  const starts = new Set<number>();
  for (const { index } of segmenter.segment(textOf(characters))) starts.add(index);
  const phrases: Character[][] = [];
  let index = 0;
  for (const [place, character] of characters.entries()) {
    const phrase = phrases.at(-1);
    const before = characters[place - 1];
    const begins = before && starts.has(index) && mayBreak(phrase ?? [], before, character);
    if (phrase && !begins) phrase.push(character);
    else phrases.push([character]);
    index += character.text.length;
  }
  return phrases;
}

function mayBreak(phrase: readonly Character[], before: Character, after: Character): boolean {
  if (isBlank(before) || isBlank(after)) return !isBlank(after);
  if (isKinsoku(before, after) || (isWestern(before) && isWestern(after))) return false;
  // Particles and endings stay with their word, so a line may break as in 海を｜描きました.
  const inflects = /^\p{sc=Hira}/u.test(after.text) && /^[\p{sc=Hira}\p{sc=Kana}\p{sc=Han}]/u.test(before.text);
  return !inflects || phrase.length >= MAX_PHRASE;
}

function fillLines(phrases: readonly (readonly Character[])[], ems: number): Character[][] {
  const lines: Character[][] = [];
  let line: Character[] = [];
  const beginLine = (characters: Character[]) => {
    lines.push(line);
    line = characters;
  };
  for (const phrase of phrases) {
    if (line.length > 0 && widthOf(line) + widthOf(trimBlanks(phrase)) > ems) beginLine([]);
    // A phrase that is longer than a line breaks at any character.
    for (const character of phrase) {
      const is_full = line.length > 0 && !isBlank(character) && widthOf(line) + character.width > ems;
      if (is_full) beginLine(takeWith(character, line));
      line.push(character);
    }
  }
  return [...lines, line].map(trimBlanks).filter((each) => each.length > 0);
}

/** Removes from the end of a line the few characters that may not be separated from the next one, and returns them. */
function takeWith(next: Character, line: Character[]): Character[] {
  let at = line.length;
  while (at > line.length - 3 && at > 1 && isKinsoku(line[at - 1] as Character, line[at] ?? next)) at--;
  const is_free = !isKinsoku(line[at - 1] as Character, line[at] ?? next);
  return is_free ? line.splice(at) : [];
}

function trimBlanks(line: readonly Character[]): Character[] {
  const last = line.findLastIndex((character) => !isBlank(character));
  const first = line.findIndex((character) => !isBlank(character));
  return first < 0 ? [] : line.slice(first, last + 1);
}

/** Finds the narrowest width at which the text needs no more lines. */
function balanceLines(phrases: readonly Character[][], ems: number, lines: Character[][]): Character[][] {
  if (lines.length < 2) return lines;
  let [narrow, wide] = [ems / 2, ems];
  let best = lines;
  for (let step = 0; step < 8; step++) {
    const middle = (narrow + wide) / 2;
    const tried = fillLines(phrases, middle);
    if (tried.length > lines.length) narrow = middle;
    else [wide, best] = [middle, tried];
  }
  return best;
}

/** Cuts a line so that an ellipsis fits behind it. */
function cutToFit(line: readonly Character[], ems: number, { text }: Faces): Character[] {
  const ellipsis: Character = { text: "…", face: "text", width: text.widthOf(0x2026) };
  const kept = [...line];
  while (kept.length > 0 && widthOf(kept) + ellipsis.width > ems) kept.pop();
  while (kept.length > 1 && /^[\s、。，．・…]/.test(kept.at(-1)?.text ?? "")) kept.pop();
  return [...kept, ellipsis];
}
