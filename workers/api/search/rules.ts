import { toNormalForm } from "../../contract/normal-form.ts";
/**
 * Converts texts into entries of the search index, and searches into questions to it. Pure functions.
 *
 * Texts are folded to letters, and letters are written as pairs: なつめ becomes `なつ つめ め␃`. A word of two letters or more
 * is then a phrase of pairs, and a single letter is the beginning of a pair. For the reasons see docs/decisions/0008.
 */

/**
 * The version of the index. Increase it whenever a change to this file changes what is indexed, and run `npm run
 * operator -- search rebuild` to index every creator again.
 */
export const INDEX_FORMAT = 3;

/**
 * Markers that no folded text contains: before the first letter of a name, after the last letter of a text, before a
 * genre's id, before a link_id.
 */
const BEGIN = "\u2402";
const END = "\u2403";
const GENRE = "\u241d";
const ADDRESS = "\u241f";

/**
 * No search shows more creators than this. People do not read further, and each page has to read past all creators
 * before it.
 */
export const MAX_FOUND = 1000;

/** Greater than every place. A top list that reaches this far contains every creator who matches. */
export const LAST_PLACE = Number.MAX_SAFE_INTEGER;

/** The words of a search beyond this number are ignored: they make it slower and hardly narrower. */
const MAX_WORDS = 8;
/**
 * The letters of a word beyond this number are ignored: its beginning finds the same creators, and every letter costs
 * another read.
 */
const MAX_WORD_LETTERS = 16;
/**
 * The letters of all words of a search together, shared equally. Without this bound, six long words cost six times as
 * many reads as one, and the beginnings of many words are as rare together as the whole words.
 */
const MAX_LETTERS = 32;
/** A text with more letters is searched for by its words alone, and not also as a name. */
const MAX_NAME_LETTERS = 50;

const LATIN_MARKS = /[\u0300-\u036f]/g;
const KATAKANA = /[\u30a1-\u30f6\u30fd\u30fe]/g;
/** The small kana that people write for か and け, as in 鎌ヶ谷 and 三ヵ月. */
const SMALL_KA_KE: Record<string, string> = { ゕ: "か", ゖ: "け" };
/**
 * Matches everything but letters with their marks, digits and pictographs: punctuation, spaces, control characters. Also
 * matches marks and letters that show nothing: variation selectors (葛󠄀), joiners, fillers.
 */
const NO_LETTER =
  /[^\p{L}\p{M}\p{N}\p{Extended_Pictographic}\p{RI}]|[\p{Default_Ignorable_Code_Point}\u3099\u309a\u20e3]/gu;
const KANA_HEIGHT = 0x60;

/**
 * Splits a text into the letters by which it is compared. Full and half width are the same, and so are capital and
 * small letters, Latin letters with and without accents, katakana and hiragana. ー and voicing marks stay: カード is not
 * かど.
 */
export function lettersOf(text: string): string[] {
  const folded = toNormalForm(toNormalForm(text, "NFKD").replace(LATIN_MARKS, ""), "NFKC")
    .toLowerCase()
    .replace(KATAKANA, (letter) => String.fromCharCode(letter.charCodeAt(0) - KANA_HEIGHT))
    .replace(/[ゕゖ]/g, (letter) => SMALL_KA_KE[letter] ?? letter)
    .replace(NO_LETTER, "");
  return Array.from(folded);
}

/** Pairs each letter with the next one, and the last letter with the end marker. */
function pairsOf(letters: readonly string[]): string[] {
  return letters.map((letter, index) => letter + (letters[index + 1] ?? END));
}

/** The data of a creator that the search index takes from the product's database. */
export interface IndexedCreator {
  name: string;
  link_id: string;
  bio: string;
  /** The creator's genres. */
  genres: readonly { genre_id: string; name: string }[];
}

/** Builds the texts for the three columns of the search index. */
export function gramsOf({ name, link_id, bio, genres }: IndexedCreator): {
  name: string;
  link_id: string;
  about: string;
} {
  const firstGram = (letters: string[]) => (letters[0] ? [BEGIN + letters[0]] : []);
  const name_letters = lettersOf(name);
  const about = [bio, ...genres.map((genre) => genre.name)].flatMap((text) => pairsOf(lettersOf(text)));
  return {
    name: [...firstGram(name_letters), ...pairsOf(name_letters)].join(" "),
    link_id: [ADDRESS + lettersOf(link_id).join(""), ...pairsOf(lettersOf(link_id))].join(" "),
    about: [...genres.map(({ genre_id }) => GENRE + genre_id), ...about].join(" "),
  };
}

/**
 * Converts a number of followers to a popularity from 0 to 511, in sixteen steps for each doubling. The trigger in
 * migration 0008 repeats the formula.
 */
export function popularityOf(followers_count: number): number {
  return Math.min(511, Math.floor(16 * Math.log2(followers_count + 1)));
}

/** The words and filters that a person searches for. An absent field does not restrict the search. */
export interface SearchTerms {
  keyword?: string;
  name?: string;
  genre_id?: string;
}

/** One question to the search index. */
export interface Question {
  /** The question as an FTS5 query. */
  match: string;
  /** Rank of the answers. Creators whom only a later tier finds come after those of earlier tiers. */
  tier: 0 | 1 | 2;
  /** When present, the question can only match if some creator's name is these letters, or begins with them. */
  name?: { is: string } | { begins: string };
  /** Whether a top list stores the first answers to the question: see {@link keptQuestionsOf}. */
  is_kept: boolean;
}

/**
 * Returns the questions of a search, best answers first: names that are exactly the text, names that begin with it, all
 * other matches. Each tier includes the tiers before it. Returns `everybody` when the search is empty, and `nobody`
 * when a text contains no letter.
 */
export function questionsOf({ keyword, name, genre_id }: SearchTerms): Question[] | "everybody" | "nobody" {
  const [by_keyword, by_name] = [wordsOf(keyword), wordsOf(name)];
  if ([by_keyword, by_name].some((words) => words?.length === 0)) return "nobody";
  const words = (by_keyword?.length ?? 0) + (by_name?.length ?? 0);
  const most_letters = Math.min(MAX_WORD_LETTERS, Math.floor(MAX_LETTERS / words));
  const keywords = (by_keyword ?? []).map((word) => toPhrase(word, most_letters));
  const names = (by_name ?? []).map((word) => matchInNames(toPhrase(word, most_letters)));
  const genres = genre_id ? [matchGenre(genre_id)] : [];
  const wanted = [...keywords, ...names, ...genres];
  if (wanted.length === 0) return "everybody";
  const asked = (by_name ?? by_keyword)?.flat();
  const is_kept = wanted.length === 1 && (asked?.length ?? 1) === 1;
  const everybody: Question = { match: joinWithAnd(wanted), tier: 2, is_kept };
  if (!asked || asked.length > MAX_NAME_LETTERS) return [everybody];
  // A name that is or begins with the whole text contains each word of it, so the words need no conditions of their
  // own.
  const besides = by_name ? [...keywords, ...genres] : genres;
  const letters = asked.join("");
  const createQuestion = (match: string, tier: Question["tier"], of_name?: Question["name"]): Question => ({
    match: joinWithAnd([match, ...besides]),
    tier,
    is_kept,
    // An empty top list already shows that nobody matches, so a check of the names would be wasted.
    ...(of_name && !is_kept && { name: of_name }),
  });
  return [
    createQuestion(matchName(asked), 0, { is: letters }),
    // A link_id counts as much as a name, unless the search is for names only.
    ...(by_name ? [] : [createQuestion(matchLinkId(asked), 0)]),
    createQuestion(matchNamePrefix(asked), 1, { begins: letters }),
    everybody,
  ];
}

/**
 * Returns the questions with a top list that this creator answers: one for each single letter and for each genre. Words
 * of two letters need no list: the grams find them at once, and there are too many of them.
 */
export function keptQuestionsOf({ name, link_id, bio, genres }: IndexedCreator): string[] {
  const [name_letters, address] = [lettersOf(name), lettersOf(link_id)];
  const texts = [bio, ...genres.map((genre) => genre.name)].flatMap(lettersOf);
  return [
    ...Array.from(new Set([...name_letters, ...address, ...texts]), (letter) => toPhrase([letter])),
    ...Array.from(new Set(name_letters), (letter) => matchInNames(toPhrase([letter]))),
    ...name_letters.slice(0, 1).map((letter) => matchNamePrefix([letter])),
    ...(name_letters.length === 1 ? [matchName(name_letters)] : []),
    ...(address.length === 1 ? [matchLinkId(address)] : []),
    ...genres.map(({ genre_id }) => matchGenre(genre_id)),
  ];
}

const matchNamePrefix = (letters: readonly string[]) =>
  quoteGrams([BEGIN + letters[0], ...pairsOf(letters).slice(0, -1)]);
const matchName = (letters: readonly string[]) => quoteGrams([BEGIN + letters[0], ...pairsOf(letters)]);
const matchLinkId = (letters: readonly string[]) => quoteGrams([ADDRESS + letters.join("")]);
const matchGenre = (genre_id: string) => quoteGrams([GENRE + genre_id.replace(/[^\w]/g, "")]);
const matchInNames = (question: string) => `name : ${question}`;

/** Splits typed text into words, each as its letters; undefined when nothing was typed. */
function wordsOf(text = ""): string[][] | undefined {
  const typed = text.trim();
  if (typed === "") return undefined;
  // Split the text before folding it, because folding removes the spaces. NFKC turns all wide spaces into the same
  // space.
  const words = toNormalForm(typed, "NFKC").split(/\s+/).map(lettersOf);
  return words.filter((letters) => letters.length > 0).slice(0, MAX_WORDS);
}

/** Returns an FTS5 query for a word anywhere in a text, by the word's first `most_letters` letters. */
function toPhrase(word: readonly string[], most_letters = MAX_WORD_LETTERS): string {
  const letters = word.slice(0, most_letters);
  const [first = ""] = letters;
  return letters.length === 1 ? `${quoteGrams([first])} *` : quoteGrams(pairsOf(letters).slice(0, -1));
}

/** Writes grams as an FTS5 string. Folded letters contain no quotation mark, so typed text can never end the string. */
function quoteGrams(grams: readonly string[]): string {
  return `"${grams.join(" ")}"`;
}

function joinWithAnd(parts: readonly string[]): string {
  return parts.join(" AND ");
}
