import * as z from "zod";
import { defineOperation } from "./operation.ts";

/**
 * The six calls of the identity service, and ours for the list of devices and for recovery codes. Names are the spec's own
 * camelCase. Source: spec section 7, Identity API; docs/decisions/0018.
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

/** `auth: none`: it is guarded by the `api_key` query parameter instead of a bearer token. */
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

/** Logging out: ends every sign-in of the account that shares the key. A bearer whose own sign-in has ended changes nothing. */
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
 * Where Firebase keeps the accounts: before a mailed code is used, replaces the account of its address if nobody has proven the
 * address, unless the bearer's sign-in is of that account. Of a code that changes an address, refuses without such a sign-in.
 * The code itself is the permission. With our own provider it does nothing: there the code does it all at once.
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

export const unsubscribeIdentity = defineOperation({
  id: "unsubscribeIdentity",
  method: "POST",
  path: "/v2/general/users/unsubscribe",
  auth: "required",
  summary: "アカウントを削除する",
  status: 204,
  answer: null,
  errors: [],
});

const signInId = z
  .string()
  .min(16)
  .max(64)
  .meta({ description: "ログインのID", examples: ["Zk3v7x1n5r9t4w6y8z2a"] });

/** A browser that is signed in. `device` is its User-Agent. */
export const signIn = z
  .object({
    signInId,
    provider: z.string().meta({ description: "ログインの方法", examples: ["password"] }),
    device: z.string().meta({ description: "ブラウザの名乗り（User-Agent）", examples: ["Mozilla/5.0 (iPhone)"] }),
    isCurrent: z.boolean().meta({ description: "この呼び出しのログインか", examples: [true] }),
    signedInAt: z.iso.datetime().meta({ description: "ログインした日時", examples: ["2026-11-20T03:00:00.000Z"] }),
    lastUsedAt: z.iso.datetime().meta({ description: "最後に使われた日時", examples: ["2026-11-20T04:00:00.000Z"] }),
  })
  .meta({ id: "SignIn", description: "ログイン中の端末" });
export type SignIn = z.output<typeof signIn>;

/** Newest use first. Unavailable where Firebase keeps the accounts: it does not tell. */
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
 * Ends one of the caller's sign-ins, or the caller's own, and leaves the key that they share alone; `not_found` for anybody else's.
 * Of a sign-in that Firebase keeps the id is `auth-time-` and its token's `auth_time`.
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

/** Ten new ones; older ones are no longer good. Only for an account with a second factor, and a sign-in of the last five minutes. */
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
  errors: ["recent_sign_in_required", "second_factor_missing"],
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
