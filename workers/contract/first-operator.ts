import * as z from "zod";
import { NAME_GRAPHEMES } from "./bounds.ts";
import { defineOperation } from "./operation.ts";
import { emailAddress, newPassword, text } from "./text.ts";

/**
 * How a site on one machine gets its first operator. The web worker and the runner call the identity service; the edge
 * forwards no such path, and the published reference leaves it out. Everywhere but in a site without an operator these
 * addresses do not exist. Source: docs/decisions/0052.
 */

export const FIRST_OPERATOR_PATH = "/first-operator";

/** Answers 404 unless the site waits for its first operator. */
export const findFirstOperatorPage = defineOperation({
  id: "findFirstOperatorPage",
  method: "GET",
  path: FIRST_OPERATOR_PATH,
  auth: "none",
  summary: "最初の運営者を待っているか",
  status: 204,
  answer: null,
  errors: [],
});

/** Makes the first operator's account. Of calls with the same key one succeeds. */
export const createFirstOperator = defineOperation({
  id: "createFirstOperator",
  method: "POST",
  path: FIRST_OPERATOR_PATH,
  auth: "none",
  summary: "最初の運営者を登録する",
  body: z.object({
    key: z
      .string()
      .trim()
      .min(1, "起動時に表示されたキーを入力してください。")
      .max(100, "キーが長すぎます。")
      .meta({ description: "起動時に表示されたキー", examples: ["y0Zr1o6c9mXq2sVt4uWb7dEf8gHj3kLn"] }),
    name: text({ label: "名前", max: NAME_GRAPHEMES, is_label: true }).meta({ examples: ["封野 手紙"] }),
    email: emailAddress,
    password: newPassword,
  }),
  status: 204,
  answer: null,
  errors: ["email_taken"],
});

/** Makes one more key. Null when there is an operator already. */
export const createFirstOperatorKey = defineOperation({
  id: "createFirstOperatorKey",
  method: "POST",
  path: `${FIRST_OPERATOR_PATH}/key`,
  auth: "operator",
  summary: "最初の運営者のキーを発行する",
  status: 200,
  answer: z.object({
    key: z
      .string()
      .nullable()
      .meta({ description: "キー。運営者がいれば null", examples: [null] }),
  }),
  errors: [],
});
