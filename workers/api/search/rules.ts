/**
 * How a text becomes what the index holds and what it is asked. Pure.
 *
 * Texts are folded to letters, and these written as pairs: なつめ is `なつ つめ め␃`. A word of two letters or more is then a
 * phrase of pairs, and a single letter the beginning of one. Why so: docs/decisions/0008.
 */

/** Raised when anything here changes what is indexed: `npm run operator -- search rebuild` then writes every creator anew. */
export const INDEX_FORMAT = 2;

/** Before the first letter of a name, behind the last one of any text, before a genre's id, before an address. No folded text has them. */
const BEGIN = "\u2402";
const END = "\u2403";
const GENRE = "\u241d";
const ADDRESS = "\u241f";

/** Nobody is led beyond: nobody reads on so far, and what lies behind a page is walked for it. */
export const MAX_FOUND = 1000;

/** Behind every place: a list of who comes first that reaches so far has everybody. */
export const LAST_PLACE = Number.MAX_SAFE_INTEGER;

/** As many words count; more make a search slower and hardly narrower. */
const MAX_WORDS = 8;
/** Of a longer word the beginning: it is found by as many letters, and each costs a walk. */
const MAX_WORD_LETTERS = 16;
/** What is longer is asked for as its words alone, and not as the name that they may make. */
const MAX_NAME_LETTERS = 50;

const LATIN_MARKS = /[\u0300-\u036f]/g;
const KATAKANA = /[\u30a1-\u30f6\u30fd\u30fe]/g;
/** What people write in place of カ and ケ where the word is neither: 鎌ヶ谷, 三ヵ月. */
const SMALL_KA_KE: Record<string, string> = { ゕ: "か", ゖ: "け" };
/** Everything but letters with their marks, digits and pictures: punctuation, spaces, joiners, controls, variants. */
const NO_LETTER = /[^\p{L}\p{M}\p{N}\p{Extended_Pictographic}\p{RI}]|[\ufe00-\ufe0f\u3099\u309a\u20e3\u200d]/gu;
const KANA_HEIGHT = 0x60;

/**
 * The letters of a text in the form in which they are compared: full and half width alike, small letters for capitals, Latin letters
 * without accents, hiragana for katakana. ー and voicing stay: カード is no かど.
 */
export function lettersOf(text: string): string[] {
  const folded = text
    .normalize("NFKD")
    .replace(LATIN_MARKS, "")
    .normalize("NFKC")
    .toLowerCase()
    .replace(KATAKANA, (letter) => String.fromCharCode(letter.charCodeAt(0) - KANA_HEIGHT))
    .replace(/[ゕゖ]/g, (letter) => SMALL_KA_KE[letter] ?? letter)
    .replace(NO_LETTER, "");
  return Array.from(folded);
}

/** Each letter with the one behind it; the last with the end. */
function pairsOf(letters: readonly string[]): string[] {
  return letters.map((letter, index) => letter + (letters[index + 1] ?? END));
}

/** A creator as the index takes them from the product's database. */
export interface IndexedCreator {
  name: string;
  link_id: string;
  bio: string;
  /** Of their genres. */
  genres: readonly { genre_id: string; name: string }[];
}

/** The three columns of the index, by their names. */
export function gramsOf({ name, link_id, bio, genres }: IndexedCreator): {
  name: string;
  link_id: string;
  about: string;
} {
  const begun = (letters: string[]) => (letters[0] ? [BEGIN + letters[0]] : []);
  const named = lettersOf(name);
  const about = [bio, ...genres.map((genre) => genre.name)].flatMap((text) => pairsOf(lettersOf(text)));
  return {
    name: [...begun(named), ...pairsOf(named)].join(" "),
    link_id: [ADDRESS + lettersOf(link_id).join(""), ...pairsOf(lettersOf(link_id))].join(" "),
    about: [...genres.map(({ genre_id }) => GENRE + genre_id), ...about].join(" "),
  };
}

/** From 0 to 511, sixteen steps for each doubling of the followers. The trigger in migration 0008 knows it, too. */
export function popularityOf(followers_count: number): number {
  return Math.min(511, Math.floor(16 * Math.log2(followers_count + 1)));
}

/** What is searched for. Absent parts ask nothing. */
export interface Sought {
  keyword?: string;
  name?: string;
  genre_id?: string;
}

/** What the index is asked. */
export interface Question {
  /** In FTS5's language. */
  match: string;
  /** Whom only a later tier finds comes behind those of the earlier ones. */
  tier: 0 | 1 | 2;
  /** Nobody answers it unless somebody's name is these letters, or begins with them. */
  name?: { is: string } | { begins: string };
  /** Whether who comes first is kept in a list: {@link keptQuestionsOf}. */
  is_kept: boolean;
}

/**
 * The questions to the index, the best answers first: names that are exactly this, names that begin so, everybody. Each
 * tier takes in those before it. `everybody`: nothing was asked. `nobody`: something without a letter in it.
 */
export function questionsOf({ keyword, name, genre_id }: Sought): Question[] | "everybody" | "nobody" {
  const [by_keyword, by_name] = [wordsOf(keyword), wordsOf(name)];
  if ([by_keyword, by_name].some((words) => words?.length === 0)) return "nobody";
  const keywords = (by_keyword ?? []).map(phrase);
  const names = (by_name ?? []).map((word) => inNames(phrase(word)));
  const genres = genre_id ? [ofGenre(genre_id)] : [];
  const wanted = [...keywords, ...names, ...genres];
  if (wanted.length === 0) return "everybody";
  const asked = (by_name ?? by_keyword)?.flat();
  const is_kept = wanted.length === 1 && (asked?.length ?? 1) === 1;
  const everybody: Question = { match: all(wanted), tier: 2, is_kept };
  if (!asked || asked.length > MAX_NAME_LETTERS) return [everybody];
  // A name that is or begins with all the words has each of them.
  const besides = by_name ? [...keywords, ...genres] : genres;
  const letters = asked.join("");
  const question = (match: string, tier: Question["tier"], of_name?: Question["name"]): Question => ({
    match: all([match, ...besides]),
    tier,
    is_kept,
    // A list knows by itself that nobody is on it.
    ...(of_name && !is_kept && { name: of_name }),
  });
  return [
    question(isNamed(asked), 0, { is: letters }),
    // An address is as good as a name where names are not asked for alone.
    ...(by_name ? [] : [question(isAt(asked), 0)]),
    question(beginsWith(asked), 1, { begins: letters }),
    everybody,
  ];
}

/**
 * Which of the questions whose first answers are kept in lists this creator answers: those of every single letter, and of
 * every genre. Words of two letters are found at once by their grams, and there are too many of them.
 */
export function keptQuestionsOf({ name, link_id, bio, genres }: IndexedCreator): string[] {
  const [named, address] = [lettersOf(name), lettersOf(link_id)];
  const texts = [bio, ...genres.map((genre) => genre.name)].flatMap(lettersOf);
  return [
    ...Array.from(new Set([...named, ...address, ...texts]), (letter) => phrase([letter])),
    ...Array.from(new Set(named), (letter) => inNames(phrase([letter]))),
    ...named.slice(0, 1).map((letter) => beginsWith([letter])),
    ...(named.length === 1 ? [isNamed(named)] : []),
    ...(address.length === 1 ? [isAt(address)] : []),
    ...genres.map(({ genre_id }) => ofGenre(genre_id)),
  ];
}

const beginsWith = (letters: readonly string[]) => quoted([BEGIN + letters[0], ...pairsOf(letters).slice(0, -1)]);
const isNamed = (letters: readonly string[]) => quoted([BEGIN + letters[0], ...pairsOf(letters)]);
const isAt = (letters: readonly string[]) => quoted([ADDRESS + letters.join("")]);
const ofGenre = (genre_id: string) => quoted([GENRE + genre_id.replace(/[^\w]/g, "")]);
const inNames = (question: string) => `name : ${question}`;

/** The words of what was typed, each as its letters; undefined when nothing was. */
function wordsOf(text = ""): string[][] | undefined {
  const typed = text.trim();
  if (typed === "") return undefined;
  // Parted first: folding would join them. NFKC makes the wide space and its kin one.
  const words = typed.normalize("NFKC").split(/\s+/).map(lettersOf);
  return words.filter((letters) => letters.length > 0).slice(0, MAX_WORDS);
}

/** A word wherever it stands, by its beginning. */
function phrase(word: readonly string[]): string {
  const letters = word.slice(0, MAX_WORD_LETTERS);
  const [first = ""] = letters;
  return letters.length === 1 ? `${quoted([first])} *` : quoted(pairsOf(letters).slice(0, -1));
}

/** A string of FTS5. Folded letters have no quotation mark; nothing of what was typed ever stands outside of one. */
function quoted(grams: readonly string[]): string {
  return `"${grams.join(" ")}"`;
}

function all(parts: readonly string[]): string {
  return parts.join(" AND ");
}
