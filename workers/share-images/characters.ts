/** What is known of a font here; the fonts themselves are typeface.ts. */
export interface Face {
  has(code_point: number): boolean;
  /** In ems. */
  widthOf(code_point: number): number;
}

export interface Faces {
  text: Face;
  emoji: Face;
}

/** One character as a reader sees it, and as it is drawn. */
export interface Character {
  text: string;
  face: keyof Faces;
  /** In ems. */
  width: number;
}

/** Stands for a character that cannot be set, as it always has in Japanese printing. */
const GETA = "〓";
/** Far more than any card has room for. */
const MAX_CHARACTERS = 400;
/** Wide enough for all of them; a joined sequence is drawn as one. */
const A_FACE = 0x1f600;

const segmenter = new Intl.Segmenter("ja", { granularity: "grapheme" });
const codePoints = (text: string) => Array.from(text, (each) => each.codePointAt(0) as number);

/**
 * The characters of a text with their widths, on one line. Emoji come from their own face; letters that are there in another form
 * (𝓝, ㋿) in that one; marks piled onto letters are left out; what no face has becomes a geta.
 */
export function charactersOf(text: string, faces: Faces): Character[] {
  const characters: Character[] = [];
  const line = text.normalize("NFC").replace(/\s+/g, " ").trim();
  for (const { segment } of segmenter.segment(line)) {
    const character = characterOf(segment, faces);
    if (character) characters.push(character);
    if (characters.length === MAX_CHARACTERS) break;
  }
  return characters;
}

/** Whether anything of it can be read: a name of getas is none. */
export function isLegible(characters: readonly Character[]): boolean {
  return characters.some(({ text }) => text !== GETA && /[^\p{P}\s]/u.test(text));
}

function characterOf(grapheme: string, faces: Faces): Character | null {
  const visible = grapheme.replace(/[\p{Default_Ignorable_Code_Point}\p{Cc}]/gu, "");
  const [first] = codePoints(visible);
  if (first === undefined) return null;
  const wants_emoji = /\p{Emoji_Presentation}|\uFE0F/u.test(grapheme) || !faces.text.has(first);
  if (wants_emoji && /\p{Emoji}/u.test(grapheme) && faces.emoji.has(first)) {
    return { text: grapheme, face: "emoji", width: faces.emoji.widthOf(A_FACE) };
  }
  // Kana keep their voicing marks; other marks that are left after NFC belong to no letter the face has.
  const plain = visible.replace(/(?<!^)(?![\u3099\u309A])\p{M}/gu, "");
  const written = [plain, plain.normalize("NFKC")].find((form) =>
    codePoints(form).every((each) => faces.text.has(each)),
  );
  const text = written ?? GETA;
  const base = text.replace(/(?<!^)\p{M}/gu, "");
  return { text, face: "text", width: codePoints(base).reduce((sum, each) => sum + faces.text.widthOf(each), 0) };
}
