import { toNormalForm } from "../contract/normal-form.ts";
/** The properties of a font that the layout needs. typeface.ts implements them. */
export interface Face {
  has(code_point: number): boolean;
  /** Returns the width of a character in ems. */
  widthOf(code_point: number): number;
}

export interface Faces {
  text: Face;
  emoji: Face;
}

/** One character as a reader sees it, and how it is drawn. */
export interface Character {
  text: string;
  face: keyof Faces;
  /** The width of the character in ems. */
  width: number;
}

/** The geta, which Japanese printing uses in place of a character that cannot be set. */
const GETA = "〓";
/** A text is cut to this many characters, far more than any card has room for. */
const MAX_CHARACTERS = 400;
/** Every emoji gets the width of this one. A joined sequence is drawn as one emoji. */
const SAMPLE_EMOJI = 0x1f600;

const segmenter = new Intl.Segmenter("ja", { granularity: "grapheme" });
const codePoints = (text: string) => Array.from(text, (each) => each.codePointAt(0) as number);

/**
 * Splits a text into characters with their widths, all on one line. Emoji come from the emoji font. Characters that the
 * font has only in another form (𝓝, ㋿) use that form. Marks stacked on letters are left out. A character that no font
 * has becomes a geta (〓).
 */
export function charactersOf(text: string, faces: Faces): Character[] {
  const characters: Character[] = [];
  const line = toNormalForm(text).replace(/\s+/g, " ").trim();
  for (const { segment } of segmenter.segment(line)) {
    const character = characterOf(segment, faces);
    if (character) characters.push(character);
    if (characters.length === MAX_CHARACTERS) break;
  }
  return characters;
}

/** Returns true when a text has something to read besides punctuation, spaces and geta marks. */
export function isLegible(characters: readonly Character[]): boolean {
  return characters.some(({ text }) => text !== GETA && /[^\p{P}\s]/u.test(text));
}

function characterOf(grapheme: string, faces: Faces): Character | null {
  const visible = grapheme.replace(/[\p{Default_Ignorable_Code_Point}\p{Cc}]/gu, "");
  const [first] = codePoints(visible);
  if (first === undefined) return null;
  const wants_emoji = /\p{Emoji_Presentation}|\uFE0F/u.test(grapheme) || !faces.text.has(first);
  if (wants_emoji && /\p{Emoji}/u.test(grapheme) && faces.emoji.has(first)) {
    return { text: grapheme, face: "emoji", width: faces.emoji.widthOf(SAMPLE_EMOJI) };
  }
  // Kana keep their voicing marks. Other marks that are left after NFC belong to no letter of the font.
  const plain = visible.replace(/(?<!^)(?![\u3099\u309A])\p{M}/gu, "");
  const written = [plain, toNormalForm(plain, "NFKC")].find((form) =>
    codePoints(form).every((each) => faces.text.has(each)),
  );
  const text = written ?? GETA;
  const base = text.replace(/(?<!^)\p{M}/gu, "");
  return { text, face: "text", width: codePoints(base).reduce((sum, each) => sum + faces.text.widthOf(each), 0) };
}
