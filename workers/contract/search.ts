import * as z from "zod";
import { countUpTo, MAX_ANONYMOUS_PAGE_SIZE, pageAnswer, pageQuery, searchedWords, wordId } from "./fields.ts";
import { defineOperation } from "./operation.ts";
import { user } from "./users.ts";

/**
 * Finds creators: exact names first, then names that begin with the words, then by number of followers. All given
 * filters must match. Without filters, lists the creators with the most followers. The spec has no page number here:
 * docs/decisions/0008.
 */
export const searchUsers = defineOperation({
  id: "searchUsers",
  method: "GET",
  path: "/v4/search",
  auth: "optional",
  summary: "クリエイターを検索する",
  query: z.object({
    keyword: searchedWords
      .meta({
        description: "検索する言葉。名前、link_id、自己紹介、ジャンルの名前から探す。空白で区切るとすべてを含むもの",
        examples: ["水彩"],
      })
      .optional(),
    name: searchedWords.meta({ description: "名前だけから探す言葉", examples: ["なつめ"] }).optional(),
    genre_id: wordId.meta({ description: "ジャンルのID", examples: ["illustration"] }).optional(),
    limit: countUpTo(100, 20).meta({ description: `件数（トークンがなければ${MAX_ANONYMOUS_PAGE_SIZE}件まで）` }),
    page_number: pageQuery.page_number,
  }),
  status: 200,
  answer: z.object({ users: z.array(user), ...pageAnswer }),
  errors: [],
});
