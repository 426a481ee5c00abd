import * as z from "zod";

/** A post's comment setting: who may comment on it. Source: spec section 3, enumerations. */
export const commentFilter = z.enum(["all", "paid_only", "none"]).meta({
  id: "CommentFilter",
  description: "コメントの受け付け（すべて、有料のみ、受け付けない）",
  examples: ["all"],
});
