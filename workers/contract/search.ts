import { z } from "zod";
import { countUpTo, wordId } from "./fields.ts";
import { planOperation } from "./operation.ts";

/** What a search or a statistic is about. Source: spec section 3, enumerations. */
export const contentScope = z.enum(["all", "events", "ofuses"]);

export const searchUsers = planOperation({
  id: "searchUsers",
  method: "GET",
  path: "/v4/search",
  auth: "optional",
  summary: "クリエイターを検索する",
  query: z.object({
    keyword: z
      .string()
      .max(100)
      .meta({ description: "検索する言葉", examples: ["水彩"] })
      .optional(),
    name: z
      .string()
      .max(100)
      .meta({ description: "クリエイターの名前", examples: ["なつめ"] })
      .optional(),
    genre_id: wordId.meta({ examples: ["illustration"] }).optional(),
    limit: countUpTo(100, 20),
  }),
});
