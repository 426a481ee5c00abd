/** The search parameters in the page's address. */
export interface Sought {
  keyword: string;
  name: string;
  genre_id: string;
}

/** The names of the search parameters. */
export const SOUGHT = ["keyword", "name", "genre_id"] as const satisfies (keyof Sought)[];

/**
 * Where an empty form leads. By the fragment, app/browser/page-shown.ts knows that a form was sent. No element has its
 * name: the browser would jump there before the script scrolls.
 */
export const SEARCHED_PATH = "/search#searched";

/** Reads the search parameters. Ignores empty ones, because a form submits its empty fields too. */
export function readSought({ searchParams }: URL): Sought {
  const readField = (name: string) => (searchParams.get(name) ?? "").trim();
  return { keyword: readField("keyword"), name: readField("name"), genre_id: readField("genre_id") };
}

export function isAnythingSought(sought: Sought): boolean {
  return Object.values(sought).some((part) => part !== "");
}

/** Returns the path of a search, or of a later page of its results. */
export function searchPath(sought: Partial<Sought>, page = 1): string {
  const given = Object.entries(sought).filter(([, value]) => value !== "");
  const query = new URLSearchParams(given).toString();
  const parts = [...(query ? [query] : []), ...(page > 1 ? [`page=${page}`] : [])];
  return parts.length > 0 ? `/search?${parts.join("&")}` : "/search";
}

/** Describes a search for the title: 「水彩」, 名前「なつ」, ジャンル「イラスト」. */
export function describeSought({ keyword, name }: Sought, genre: string | undefined): string {
  return [
    ...(keyword ? [`「${keyword}」`] : []),
    ...(name ? [`名前「${name}」`] : []),
    ...(genre ? [`ジャンル「${genre}」`] : []),
  ].join("＋");
}

/** Suggests wider searches when there are no results: one word or one condition fewer. */
export function widerSearches(sought: Sought): { label: string; sought: Sought }[] {
  const { keyword, name, genre_id } = sought;
  const words = [...new Set(keyword.split(/\s+/).filter(Boolean))];
  const conditions = [keyword, name, genre_id].filter(Boolean).length;
  return [
    ...(conditions > 1 && genre_id ? [{ label: "すべてのジャンルから探す", sought: { ...sought, genre_id: "" } }] : []),
    ...(name && !keyword
      ? [{ label: `自己紹介も含めて「${name}」を探す`, sought: { ...sought, name: "", keyword: name } }]
      : []),
    ...(name && keyword ? [{ label: "名前を指定せずに探す", sought: { ...sought, name: "" } }] : []),
    ...(words.length > 1
      ? words.slice(0, 4).map((word) => ({ label: `「${word}」だけで探す`, sought: { ...sought, keyword: word } }))
      : []),
  ];
}
