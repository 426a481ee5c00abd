import * as z from "zod";
import { defineOperation } from "./operation.ts";

/**
 * The six calls of the identity service that the spec names, and our own for the list of devices, recovery codes and
 * unproven accounts. Field names are the spec's camelCase. Source: spec section 7, Identity API; docs/decisions/0018.
 */

const signOutKey = z
  .string()
  .min(1)
  .max(128)
  .meta({ description: "全端末ログアウトの鍵", examples: ["7f3c1b0a9d2e4c58"] });

/** Ends every sign-in of the account. */
export const deleteRefreshToken = defineOperation({
  id: "deleteRefreshToken",
  method: "DELETE",
  path: "/v2/general/auth/refresh-token",
  auth: "required",
  summary: "リフレッシュトークンを無効にする",
  status: 204,
  answer: null,
  errors: [],
});

export const getCustomToken = defineOperation({
  id: "getCustomToken",
  method: "GET",
  path: "/v2/general/auth/custom-token",
  auth: "required",
  summary: "カスタムトークンを発行する",
  status: 200,
  answer: z.object({
    token: z.string().meta({ description: "カスタムトークン（JWT）", examples: ["eyJhbGciOiJSUzI1NiJ9.e30.c2ln"] }),
  }),
  errors: [],
});

export const getGlobalSignOutStatus = defineOperation({
  id: "getGlobalSignOutStatus",
  method: "GET",
  path: "/v2/general/auth/global-sign-out-status",
  auth: "required",
  summary: "全端末ログアウトの状態",
  query: z.object({ key: signOutKey }),
  status: 200,
  answer: z.object({ isSignedOut: z.boolean().meta({ description: "この鍵でログアウトしたか" }) }),
  errors: [],
});

/** `auth: none`, because the `api_key` query parameter guards this call instead of a bearer token. */
export const updatePibId = defineOperation({
  id: "updatePibId",
  method: "PUT",
  path: "/v2/general/users/pib-id",
  auth: "none",
  summary: "個人IDを更新する",
  query: z.object({
    id: z
      .string()
      .min(1)
      .max(128)
      .meta({ description: "アカウントのID", examples: ["demo0001"] }),
    api_key: z
      .string()
      .max(256)
      .meta({ description: "サービス間の鍵", examples: ["service-key-0001"] })
      .optional(),
  }),
  body: z.object({
    pibId: z
      .string()
      .min(1)
      .max(128)
      .meta({ description: "個人ID", examples: ["pib-20260001"] }),
  }),
  status: 204,
  answer: null,
  errors: [],
});

/**
 * Logs out: ends every sign-in that shares the account's current key. A token whose own sign-in has already ended
 * changes nothing.
 */
export const registerKeyForGlobalSignOut = defineOperation({
  id: "registerKeyForGlobalSignOut",
  method: "PUT",
  path: "/v2/general/auth/key-for-global-sign-out",
  auth: "required",
  summary: "ログアウトのキーを登録する",
  body: z.object({ key: signOutKey }),
  status: 204,
  answer: null,
  errors: [],
});

/**
 * For accounts that Firebase keeps: replaces an account whose address nobody has proven, before a mailed code is used.
 * Does nothing when the bearer's own sign-in is of that account. Refuses a code that changes an address without such a
 * sign-in. The code itself is the permission. With the embedded provider the call does nothing, because there using the
 * code does the same.
 */
export const replaceUnprovenAccount = defineOperation({
  id: "replaceUnprovenAccount",
  method: "POST",
  path: "/v2/general/auth/unproven-account",
  auth: "optional",
  summary: "確認されていないアカウントを置き換える",
  body: z.object({
    oobCode: z
      .string()
      .min(1)
      .max(512)
      .meta({ description: "メールのリンクのコード", examples: ["q3Zr0cVb"] }),
    newPassword: z
      .string()
      .max(4096)
      .meta({ description: "新しいパスワード", examples: ["correct horse battery"] })
      .optional(),
  }),
  status: 200,
  answer: z.object({
    email: z
      .string()
      .nullable()
      .meta({ description: "アカウントを置き換えたメールアドレス", examples: ["hana@example.jp"] }),
  }),
  errors: [],
});

/**
 * Deletes the account at the identity provider. Only after `unsubscribe`, or with a sign-in of the last five minutes by a person
 * without a profile.
 */
export const unsubscribeIdentity = defineOperation({
  id: "unsubscribeIdentity",
  method: "POST",
  path: "/v2/general/users/unsubscribe",
  auth: "required",
  summary: "アカウントを削除する",
  status: 204,
  answer: null,
  errors: ["account_not_left", "recent_sign_in_required"],
});

const signInId = z
  .string()
  .min(16)
  .max(64)
  .meta({ description: "ログインのID", examples: ["Zk3v7x1n5r9t4w6y8z2a"] });

/** A signed-in browser. `device` is its User-Agent. */
export const signIn = z
  .object({
    signInId,
    provider: z.string().meta({ description: "ログインの方法", examples: ["password"] }),
    device: z.string().meta({ description: "ブラウザーの名乗り（User-Agent）", examples: ["Mozilla/5.0 (iPhone)"] }),
    isCurrent: z.boolean().meta({ description: "この呼び出しのログインか", examples: [true] }),
    signedInAt: z.iso.datetime().meta({ description: "ログインした日時", examples: ["2026-11-20T03:00:00.000Z"] }),
    lastUsedAt: z.iso.datetime().meta({ description: "最後に使われた日時", examples: ["2026-11-20T04:00:00.000Z"] }),
  })
  .meta({ id: "SignIn", description: "ログイン中の端末" });
export type SignIn = z.output<typeof signIn>;

/**
 * Lists the last used sign-in first. Unavailable where Firebase keeps the accounts, because Firebase offers no such
 * list.
 */
export const listSignIns = defineOperation({
  id: "listSignIns",
  method: "GET",
  path: "/v2/general/auth/sign-ins",
  auth: "required",
  summary: "ログイン中の端末",
  status: 200,
  answer: z.object({ signIns: z.array(signIn) }),
  errors: [],
});

/**
 * Ends one of the caller's sign-ins and leaves the shared key for global sign-out unused. Answers `not_found` for
 * another person's sign-in. The id of a sign-in at Firebase is `auth-time-` and the token's `auth_time`.
 */
export const endSignIn = defineOperation({
  id: "endSignIn",
  method: "DELETE",
  path: "/v2/general/auth/sign-ins",
  auth: "required",
  summary: "端末をログアウトする",
  query: z.object({ id: signInId }),
  status: 204,
  answer: null,
  errors: [],
});

/**
 * Makes ten new recovery codes and invalidates the older ones. Requires a second factor, and a sign-in of the last five
 * minutes.
 */
export const createRecoveryCodes = defineOperation({
  id: "createRecoveryCodes",
  method: "POST",
  path: "/v2/general/auth/recovery-codes",
  auth: "required",
  summary: "リカバリーコードを作る",
  status: 201,
  answer: z.object({
    codes: z.array(z.string()).meta({ description: "リカバリーコード", examples: [["3k7d-9fxq-m2wp"]] }),
  }),
  errors: ["recent_sign_in_required", "second_factor_missing", "too_many_requests"],
});

export const countRecoveryCodes = defineOperation({
  id: "countRecoveryCodes",
  method: "GET",
  path: "/v2/general/auth/recovery-codes",
  auth: "required",
  summary: "残りのリカバリーコードの数",
  status: 200,
  answer: z.object({
    count: z
      .number()
      .int()
      .min(0)
      .meta({ description: "残りの数", examples: [10] }),
  }),
  errors: [],
});
