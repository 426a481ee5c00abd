import { z } from "zod";
import { flag, id, pageQuery } from "./fields.ts";
import { planOperation } from "./operation.ts";

/** Source: spec section 3, enumerations. */
export const newsletterListing = z.enum(["all", "published", "scheduled", "draft"]);
/** An audience: all followers, or those who joined a plan. */
export const fanScope = z.enum(["fans", "memberships"]);

const params = z.object({ id });

export const createNewsletter = planOperation({
  id: "createNewsletter",
  method: "POST",
  path: "/v4/news_letters",
  auth: "required",
  summary: "ニュースレターを作成する",
});

export const listNewsletters = planOperation({
  id: "listNewsletters",
  method: "GET",
  path: "/v4/news_letters",
  auth: "required",
  summary: "届いたニュースレターの一覧",
  query: z.object(pageQuery),
});

export const getNewsletter = planOperation({
  id: "getNewsletter",
  method: "GET",
  path: "/v4/news_letters/{id}",
  auth: "required",
  summary: "ニュースレターを1通取得",
  params,
});

export const updateNewsletter = planOperation({
  id: "updateNewsletter",
  method: "PUT",
  path: "/v4/news_letters/{id}",
  auth: "required",
  summary: "ニュースレターを変更する",
  params,
});

export const deleteNewsletter = planOperation({
  id: "deleteNewsletter",
  method: "DELETE",
  path: "/v4/news_letters/{id}",
  auth: "required",
  summary: "ニュースレターを削除する",
  params,
});

export const listOwnNewsletters = planOperation({
  id: "listOwnNewsletters",
  method: "GET",
  path: "/v4/my/news_letters",
  auth: "required",
  summary: "自分のニュースレターの一覧と今月の残り回数",
  query: z.object({ ...pageQuery, is_draft: flag.optional() }),
});
