import { z } from "zod";
import { defineOperation } from "./operation.ts";

/** The six calls of the identity service. Names are the spec's own camelCase. Source: spec section 7, Identity API. */

const signOutKey = z
  .string()
  .min(1)
  .max(128)
  .meta({ description: "全端末ログアウトの鍵", examples: ["7f3c1b0a9d2e4c58"] });

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
