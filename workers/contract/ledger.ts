import * as z from "zod";
import { countUpTo, day, MAX_PAGE_NUMBER } from "./fields.ts";
import { planOperation } from "./operation.ts";

/** The kinds of a creator's earnings. Source: spec section 3, with `{product}` read as `ofuse`. */
export const transactionKind = z.enum(["ofuse_v3", "fan_letter_support", "membership", "comment_support", "payout"]);

export const getBalance = planOperation({
  id: "getBalance",
  method: "GET",
  path: "/v4/balance",
  auth: "required",
  summary: "売上の残高",
});

export const listTransactions = planOperation({
  id: "listTransactions",
  method: "GET",
  path: "/v4/transactions",
  auth: "required",
  summary: "売上の明細",
  query: z.object({ page_number: countUpTo(MAX_PAGE_NUMBER, 1).meta({ description: "ページ番号" }) }),
});

export const getTransactionReport = planOperation({
  id: "getTransactionReport",
  method: "GET",
  path: "/v4/reports/transactions",
  auth: "required",
  summary: "売上レポート（JSONまたはテキスト）",
  query: z.object({ from: day, to: day }),
});
